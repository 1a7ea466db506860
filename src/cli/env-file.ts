import { SETTING_GROUPS, type Setting, type SettingName } from '../config/settings.ts';

const WIDTH = 110;

/** The `.env` of a new project: the variables that most need, with what each is for; those without a value are commented out. */
export function envFile(values: Partial<Readonly<Record<SettingName, string>>>): string {
  const given: Readonly<Record<string, string | undefined>> = values;
  const settings = [SETTING_GROUPS.basics, SETTING_GROUPS.accounts].flatMap((group) =>
    Object.entries<Setting>(group),
  );
  const parts = settings.map(([name, setting]) => {
    const value = given[name];
    const line = value === undefined ? `#${name}=${setting.fallback ?? ''}` : `${name}=${value}`;
    return `${commented(setting.meaning)}\n${line}\n`;
  });
  return ['# Keep this file out of version control. All variables: docs/configuration.md\n', ...parts].join(
    '\n',
  );
}

/** Lines of a comment, without the marks of Markdown. */
function commented(markdown: string): string {
  const text = markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last.length + word.length < WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(` ${word}`);
  }
  return lines.map((line) => `#${line}`).join('\n');
}
