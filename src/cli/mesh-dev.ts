import { spawn } from 'node:child_process';
import { readConfig } from '../config/config.ts';
import { readProject } from '../sources/project.ts';

/**
 * Runs the stock development server of GraphQL Mesh on the project, with the environment that the gateway
 * would give it: Mesh itself knows neither our defaults nor the document's servers.
 */
const { meshConfig, meshEnvironment } = readConfig({ AUTH: 'off', ...process.env });
const reading = readProject(meshConfig, meshEnvironment);
if (reading.kind === 'mistakes') throw new Error(reading.mistakes.join('\n'));
const posts = reading.project.sources.find(({ name }) => name === 'Posts');

const mesh = spawn('mesh', ['dev', ...process.argv.slice(2)], {
  cwd: reading.project.directory,
  env: { ...meshEnvironment, UPSTREAM_URL: posts?.endpoint },
  stdio: 'inherit',
  // npm puts the packages' commands on the path; on Windows they are scripts, which need a shell.
  shell: process.platform === 'win32',
});
mesh.on('exit', (code) => process.exit(code ?? 1));
