import { spawn } from 'node:child_process';
import { readConfig } from '../config/config.ts';
import { readProject } from '../sources/project.ts';

/**
 * Runs the development server of GraphQL Mesh on the project, with the gateway's environment: Mesh itself has
 * neither the defaults nor the servers of documents.
 */
const { meshConfig, meshEnvironment } = readConfig({ AUTH: 'off', ...process.env });
const reading = readProject(meshConfig, meshEnvironment);
if (reading.kind === 'mistakes') throw new Error(reading.mistakes.join('\n'));
const posts = reading.project.sources.find(({ name }) => name === 'Posts');

const mesh = spawn('mesh', ['dev', ...process.argv.slice(2)], {
  cwd: reading.project.directory,
  env: { ...meshEnvironment, UPSTREAM_URL: posts?.endpoint },
  stdio: 'inherit',
  // npm adds the packages' commands to the path; on Windows they are scripts, which need a shell.
  shell: process.platform === 'win32',
});
mesh.on('exit', (code) => process.exit(code ?? 1));
