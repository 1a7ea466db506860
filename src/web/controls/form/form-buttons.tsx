import { Link } from 'react-router';
import type { ButtonConfiguration } from '../screen.ts';

interface FormButtonsProps {
  readonly buttons: readonly ButtonConfiguration[];
  readonly isBusy: boolean;
}

export function FormButtons({ buttons, isBusy }: FormButtonsProps) {
  if (buttons.length === 0) return null;
  return (
    <div className="buttons">
      {buttons.map((button) =>
        button.navigateUrl === undefined ? (
          <button key={button.label} type="submit" className="primary" disabled={isBusy}>
            {isBusy ? 'Sending …' : button.label}
          </button>
        ) : (
          <Link key={button.label} to={button.navigateUrl} relative="path" className="button">
            {button.label}
          </Link>
        ),
      )}
    </div>
  );
}
