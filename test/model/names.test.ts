import { describe, expect, it } from 'vitest';
import { deriveThing } from './document.ts';

describe('the name of a property', () => {
  it.each([
    ['userId', 'UserId'],
    ['user_id', 'UserId'],
    ['user-id', 'UserId'],
    ['user id', 'UserId'],
    ['UserID', 'UserID'],
    ['HTMLPage', 'HTMLPage'],
    ['line2', 'Line2'],
    ['1st', '_1st'],
    ['$x', 'X'],
    ['odata.etag', 'OdataEtag'],
    ['_links', 'Links'],
    ['été', 'Été'],
    ['constructor', 'Constructor'],
    ['toString', 'ToString'],
    ['日付', '日付'],
  ])('%s is %s', (written, name) => {
    const { model, findings } = deriveThing(`${JSON.stringify(written)}: { type: string }`);
    const properties = model.entityTypes.get('Thing')?.structuralProperties;
    expect([...(properties?.values() ?? [])].map((p) => [p.upstreamName, p.name])).toEqual([
      ['id', 'Id'],
      [written, name],
    ]);
    expect(findings).toEqual([]);
  });

  it('is the one that x-odata gives', () => {
    const { model } = deriveThing('usr: { type: string, x-odata: { name: User } }');
    expect(model.entityTypes.get('Thing')?.structuralProperties.get('User')?.upstreamName).toBe('usr');
  });

  it.each(['constructor', '__proto__', '1a', 'a b'])('is not %s, whatever x-odata says', (name) => {
    const { model, findings } = deriveThing(`usr: { type: string, x-odata: { name: ${name} } }`);
    expect(model.entityTypes.get('Thing')?.structuralProperties.get('Usr')?.upstreamName).toBe('usr');
    expect(findings).toEqual([
      `error /components/schemas/Thing/properties/usr/x-odata/name "${name}" is not a name: letters, digits and _ are, not beginning with a digit`,
    ]);
  });

  it('is that of the document where another property has it', () => {
    const { model, findings } = deriveThing('userId: { type: string }\nuser_id: { type: integer }');
    expect([...(model.entityTypes.get('Thing')?.structuralProperties.keys() ?? [])]).toEqual([
      'Id',
      'UserId',
      'user_id',
    ]);
    expect(findings).toEqual([
      'warning /components/schemas/Thing/properties/user_id The property is named user_id: another one is named UserId',
    ]);
  });

  it.each(['__proto__', '***', '$'])('%s makes none', (written) => {
    const { model, findings } = deriveThing(`${JSON.stringify(written)}: { type: string }`);
    expect([...(model.entityTypes.get('Thing')?.structuralProperties.keys() ?? [])]).toEqual(['Id']);
    expect(findings).toHaveLength(1);
  });
});
