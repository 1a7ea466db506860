import { afterAll } from 'vitest';
import './cheap-passwords.ts';
import { endFile } from './end-of-file.ts';
import './known-formats.ts';

// Files share their modules: what is to happen in each of them cannot stand in a module that they import.
afterAll(endFile);
