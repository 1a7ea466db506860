import { assertNode, enableCompileCache, exitWith } from '../node-version.ts';

// As src/main.ts does, before anything else is loaded.
process.env['NODE_ENV'] ??= 'production';
assertNode(exitWith);
enableCompileCache();
const { readDemoCommand: readCommand, USAGE } = await import('./demo-options.ts');

const command = readCommand(process.argv.slice(2));
if (command.kind === 'help') {
  console.log(USAGE);
} else if (command.kind === 'mistake') {
  console.error(`${command.message}\n\n${USAGE}`);
  process.exitCode = 2;
} else {
  const { explain, runDemo } = await import('./run-demo.ts');
  try {
    await runDemo(command.api, process.env);
  } catch (error) {
    console.error(explain(error));
    process.exit(1);
  }
}
