import theme from 'vitepress/theme-without-fonts';
import './style.css';

/** VitePress's own theme with the reader's fonts, which need no download, and the colours of the screens. */
export default theme;
