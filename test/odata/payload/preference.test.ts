import { describe, expect, it } from 'vitest';
import {
  type PreferenceName,
  type Preferences,
  parsePreferences,
  preferenceApplied,
} from '../../../src/odata/payload/negotiation/preference.ts';

const NONE: Omit<Preferences, 'written'> = {
  continueOnError: undefined,
  handling: undefined,
  includeAnnotations: undefined,
  maxPageSize: undefined,
  omitValues: undefined,
  respondAsync: false,
  return: undefined,
  trackChanges: false,
  wait: undefined,
};

describe('preferences (Part 1, 8.2.8; RFC 7240)', () => {
  it.each<[string | undefined, Partial<Preferences>]>([
    [undefined, {}],
    ['', {}],
    ['return=minimal', { return: 'minimal' }],
    ['Return = "Representation"', { return: 'representation' }],
    ['return=nothing', {}],
    ['return=minimal, return=representation', { return: 'minimal' }],
    ['odata.maxpagesize=50', { maxPageSize: 50 }],
    ['maxpagesize=50', { maxPageSize: 50 }],
    ['odata.maxpagesize=0', {}],
    ['maxpagesize=many', {}],
    ['maxpagesize=-1', {}],
    ['omit-values=nulls', { omitValues: 'nulls' }],
    ['omit-values=defaults', { omitValues: 'defaults' }],
    ['odata.continue-on-error', { continueOnError: true }],
    ['continue-on-error=false', { continueOnError: false }],
    ['odata.allow-entityreferences', {}],
    ['odata.include-annotations="display.*,-Org.*"', { includeAnnotations: 'display.*,-Org.*' }],
    [
      'include-annotations="*,-Org.V1.*,Org.V1.Term#Tablet"',
      { includeAnnotations: '*,-Org.V1.*,Org.V1.Term#Tablet' },
    ],
    ['include-annotations="display.*,display"', {}],
    ['include-annotations=display', {}],
    ['include-annotations=""', {}],
    ['odata.track-changes', { trackChanges: true }],
    ['handling=strict', { handling: 'strict' }],
    ['respond-async, wait=10', { respondAsync: true, wait: 10 }],
    ['wait = 0', { wait: 0 }],
    ['wait=soon', {}],
    ['odata.callback; url="http://x/a;b,c"', {}],
    ['return=minimal; foo="bar", maxpagesize=5', { return: 'minimal', maxPageSize: 5 }],
    ['unknown=1, x', {}],
  ])('%s', (prefer, expected) => {
    const { written: _, ...preferences } = parsePreferences(prefer);
    expect(preferences).toStrictEqual({ ...NONE, ...expected });
  });

  it.each<[string | undefined, readonly PreferenceName[], string | undefined]>([
    ['return=minimal', ['return'], 'return=minimal'],
    ['odata.maxpagesize=50, return=minimal', ['maxpagesize'], 'odata.maxpagesize=50'],
    [
      'maxpagesize=50; x=y, odata.track-changes',
      ['maxpagesize', 'track-changes'],
      'maxpagesize=50, odata.track-changes',
    ],
    ['return=minimal', [], undefined],
    [undefined, ['return'], undefined],
  ])('%s is told to be applied in its own words (8.3.9)', (prefer, applied, header) => {
    expect(preferenceApplied(parsePreferences(prefer), applied)).toBe(header);
  });
});
