import { SETTING_GROUPS, type Setting } from '../config/settings.ts';

const REGION = /<!-- settings: (\w+) -->\n[\s\S]*?<!-- end -->/g;

/** A page in which each table of settings is written anew; one stands between `<!-- settings: GROUP -->` and `<!-- end -->`. */
export function withSettings(page: string): string {
  return page.replaceAll(
    REGION,
    (_, group: string) => `<!-- settings: ${group} -->\n${tableOf(group)}\n<!-- end -->`,
  );
}

/** The groups whose tables a page has. */
export function settingGroupsOn(page: string): readonly string[] {
  return [...page.matchAll(REGION)].map(([, group = '']) => group);
}

function tableOf(group: string): string {
  const settings: readonly (readonly [string, Setting])[] =
    Object.entries(SETTING_GROUPS)
      .find(([name]) => name === group)
      ?.flatMap((part) => (typeof part === 'string' ? [] : Object.entries<Setting>(part))) ?? [];
  const rows = settings.map(
    ([name, setting]) =>
      `| \`${name}\` | ${valuesOf(setting)} | ${defaultOf(setting)} | ${setting.meaning} |`,
  );
  return ['', '| Variable | Value | Default | |', '|---|---|---|---|', ...rows, ''].join('\n');
}

function valuesOf(setting: Setting): string {
  if (setting.kind === 'number') return `${setting.least} to ${setting.most}`;
  if (setting.kind === 'choice') return setting.choices.map((choice) => `\`${choice}\``).join(', ');
  return setting.form;
}

function defaultOf(setting: Setting): string {
  if (setting.default !== undefined) return setting.default;
  if (setting.fallback === undefined) return 'none';
  return typeof setting.fallback === 'number' ? String(setting.fallback) : `\`${setting.fallback}\``;
}
