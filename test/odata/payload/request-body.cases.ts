import type { InputKind } from '../../../src/engine/input/reading.ts';

/** A body for an animal of `zoo.yaml`, and all that is wrong with it. */
interface WrongBody {
  readonly kind: InputKind;
  readonly body: string;
  readonly mistakes: readonly string[];
}

const update = (body: string, ...mistakes: readonly string[]): WrongBody => ({
  kind: 'update',
  body,
  mistakes,
});
const of = (member: string, ...mistakes: readonly string[]): WrongBody => update(`{${member}}`, ...mistakes);

export const WRONG_BODIES: readonly WrongBody[] = [
  // The whole.
  update('', 'Body: expected a JSON object, found nothing.'),
  update('[]', 'Body: expected a JSON object, found an array.'),
  update('{"Name":', 'Body: expected a JSON object, found malformed JSON at line 1, column 9.'),
  update('{"Name": x}', 'Body: expected a JSON object, found malformed JSON at line 1, column 10.'),
  update('{"Name": "a",}', 'Body: expected a JSON object, found malformed JSON at line 1, column 14.'),
  update('{\n  "Name": "a\n"}', 'Body: expected a JSON object, found malformed JSON at line 2, column 13.'),
  update('{"Name": "\\q"}', 'Body: expected a JSON object, found malformed JSON at line 1, column 11.'),
  update('{"Name": 01}', 'Body: expected a JSON object, found malformed JSON at line 1, column 11.'),
  update('{"Name": [1 2]}', 'Body: expected a JSON object, found malformed JSON at line 1, column 13.'),
  update('{"Name": 1} {', 'Body: expected a JSON object, found malformed JSON at line 1, column 13.'),
  update('{"Name":"Rex","Name":"Max"}', 'Name: expected each name once, found "Name" twice.'),
  update('{"N\\u0061me":"Rex","Name":"Max"}', 'Name: expected each name once, found "Name" twice.'),
  of('"Notes":{"a":[{"b":1,"b":2}]}', 'Notes/a/0/b: expected each name once, found "b" twice.'),
  of(
    '"Notes":{"c":[{"b":[1,2]},"x,{",{"b":{},"b":"b"}],"c":1}',
    'Notes/c/2/b: expected each name once, found "b" twice.',
    'Notes/c: expected each name once, found "c" twice.',
  ),

  // Names (Part 1, 11.4.2): of a closed type, all are declared.
  of('"name":"Rex"', 'name: expected the name of a property of Zoo.Animal, found none of them.'),
  of('"__proto__":{}', '__proto__: expected the name of a property of Zoo.Animal, found none of them.'),
  of('"Home":{"Nope":1}', 'Home/Nope: expected the name of a property of Zoo.Address, found none of them.'),
  of('"Notes":{"a b":1}', 'Notes/a b: expected the name of a property, found none of them.'),
  of(
    '"Nope@odata.bind":"x"',
    'Nope@odata.bind: expected a navigation property of Zoo.Animal, found another name.',
  ),

  // The type in an object, and its discriminator.
  {
    kind: 'insert',
    body: '{"@odata.type":"#Zoo.Dog","Name":"Rex","Breed":"pug","Kind":"cat"}',
    mistakes: ['Kind: expected "dog", as Zoo.Dog has it, found "cat".'],
  },

  // What has to be said (Part 1, 11.4.2 and 11.4.4).
  { kind: 'insert', body: '{"Name":"Rex"}', mistakes: ['Kind: expected a value, found none.'] },
  { kind: 'replace', body: '{"Kind":"x"}', mistakes: ['Name: expected a value, found none.'] },
  {
    kind: 'insert',
    body: '{"@odata.type":"#Zoo.Dog","Home":{"Kind":"x"}}',
    mistakes: [
      'Home/City: expected a value, found none.',
      'Breed: expected a value, found none.',
      'Name: expected a value, found none.',
    ],
  },
  of('"Name":null', 'Name: expected a value, found null.'),
  of('"Tags":null', 'Tags: expected an array, found null.'),
  of('"Tags":["a",null]', 'Tags/1: expected a value, found null.'),

  // Types (JSON Format, 7.1).
  of('"Tame":"true"', 'Tame: expected Edm.Boolean, found a string.'),
  of('"Name":1', 'Name: expected Edm.String, found a number.'),
  of('"Weight":"heavy"', 'Weight: expected Edm.Decimal, found a string.'),
  of('"Weight":1e400', 'Weight: expected Edm.Decimal, found a number.'),
  of('"Chip":1.5', 'Chip: expected Edm.Int64, found a number.'),
  of('"Chip":9223372036854775808', 'Chip: expected Edm.Int64, found a number.'),
  of('"Height":"1.5"', 'Height: expected Edm.Double, found a string.'),
  of('"Born":"2023-02-29"', 'Born: expected Edm.Date, found a string.'),
  of('"Seen":"2024-02-29T12:00:00"', 'Seen: expected Edm.DateTimeOffset, found a string.'),
  of('"Nap":"1 hour"', 'Nap: expected Edm.Duration, found a string.'),
  of('"Nap":"PT"', 'Nap: expected Edm.Duration, found a string.'),
  of('"Fed":"24:00"', 'Fed: expected Edm.TimeOfDay, found a string.'),
  of('"Token":"x"', 'Token: expected Edm.Guid, found a string.'),
  of('"Sound":"a"', 'Sound: expected Edm.Binary, found a string.'),
  of('"Place":{"type":"Polygon","coordinates":[]}', 'Place: expected Edm.GeographyPoint, found an object.'),
  of('"Photo":"AAAA"', 'Photo: expected a stream to be written at its own URL, found a string.'),
  of('"Mood":"cross"', 'Mood: expected a member of Mood, found "cross".'),
  of('"Mood":"calm,very_angry"', 'Mood: expected a member of Mood, found "calm,very_angry".'),
  of('"Skills":8', 'Skills: expected a member of Skills, found a number.'),
  of('"Home":[]', 'Home: expected an object, found an array.'),
  of('"Homes":{}', 'Homes: expected an array, found an object.'),
  of('"Homes":[{"Kind":"x","City":5}]', 'Homes/0/City: expected Edm.String, found a number.'),
  of('"Homes":[{"Kind":"x"}]', 'Homes/0/City: expected a value, found none.'),
  of('"Keeper":5', 'Keeper: expected an object, found a number.'),
  of('"Visits":{}', 'Visits: expected an array of objects, found an object.'),
  of('"Visits":[{"Guest":1}]', 'Visits/0/Guest: expected Edm.String, found a number.'),
  of('"Keeper@odata.bind":1', 'Keeper@odata.bind: expected a URL, found a number.'),
  of('"Visits@odata.bind":"x"', 'Visits@odata.bind: expected an array of URLs, found a string.'),

  // Derived types (JSON Format, 4.5.3).
  of(
    '"@odata.type":"#Zoo.Keeper"',
    '@odata.type: expected Zoo.Animal or a type derived from it, found "#Zoo.Keeper".',
  ),
  of('"@odata.type":1', '@odata.type: expected Zoo.Animal or a type derived from it, found no name.'),
  of('"Name@odata.type":"#Int32"', 'Name@odata.type: expected Edm.String, found "#Int32".'),
  of('"Name@type":"Int32","Name":"Rex"', 'Name@type: expected Edm.String, found "Int32".'),
  of('"Name@type":7', 'Name@type: expected Edm.String, found no name.'),
  of('"Chip@type":"#Decimal","Chip":1', 'Chip@type: expected Edm.Int64, found "#Decimal".'),
  of('"Born@type":"DateTimeOffset"', 'Born@type: expected Edm.Date, found "DateTimeOffset".'),
  of('"Photo@type":"String"', 'Photo@type: expected Edm.Stream, found "String".'),
  of('"Mood@odata.type":"#Zoo.Skills"', 'Mood@odata.type: expected Zoo.Mood, found "#Zoo.Skills".'),
  of('"Tags@odata.type":"#String"', 'Tags@odata.type: expected Collection(Edm.String), found "#String".'),
  of(
    '"Name@odata.type":"#Collection(String)"',
    'Name@odata.type: expected Edm.String, found "#Collection(String)".',
  ),
  of(
    '"Home@odata.type":"#Zoo.Notes"',
    'Home@odata.type: expected Zoo.Address or a type derived from it, found "#Zoo.Notes".',
  ),
  of(
    '"Homes@type":"#Collection(Zoo.Animal)"',
    'Homes@type: expected Collection(Zoo.Address) or a type derived from it, found "#Collection(Zoo.Animal)".',
  ),
  of('"Home":{"City@type":"Int32"}', 'Home/City@type: expected Edm.String, found "Int32".'),
  of(
    '"Homes":[{"Kind":"x","City":"y","Rent@odata.type":"#String"}]',
    'Homes/0/Rent@odata.type: expected Edm.Decimal, found "#String".',
  ),
  of(
    '"Keeper@odata.type":"#Zoo.Visit"',
    'Keeper@odata.type: expected Zoo.Keeper or a type derived from it, found "#Zoo.Visit".',
  ),
  of(
    '"Keeper":{"@odata.id":"Keeper(\'Ann\')","@odata.type":"#Zoo.Visit"}',
    'Keeper/@odata.type: expected Zoo.Keeper or a type derived from it, found "#Zoo.Visit".',
  ),
  of(
    '"Keeper":{"Name":"Ann","Shift@odata.type":"#String"}',
    'Keeper/Shift@odata.type: expected Edm.Int64, found "#String".',
  ),
  of(
    '"Visits@delta":[{"Number":1,"Guest@type":"Int32"},{"@removed":{},"Number":2,"@type":"#Zoo.Keeper"}]',
    'Visits@delta/1/@type: expected Zoo.Visit or a type derived from it, found "#Zoo.Keeper".',
    'Visits@delta/0/Guest@type: expected Edm.String, found "Int32".',
  ),
  {
    kind: 'insert',
    body: '{"Name":"Rex","Kind":"x","Visits":[{"Guest":"Bob","Guest@odata.type":"#Int32"}]}',
    mistakes: ['Visits/0/Guest@odata.type: expected Edm.String, found "#Int32".'],
  },
  of('"Breed":"pug"', 'Breed: expected the name of a property of Zoo.Animal, found none of them.'),

  // Facets (CSDL 4.01, 7.2; vocabulary Org.OData.Validation.V1).
  of('"Name":"Alexander"', 'Name: expected at most 8 characters, found 9.'),
  of('"Name":"rex"', 'Name: expected text that matches ^[A-Z], found other text.'),
  of('"Weight":1.234', 'Weight: expected at most 2 decimal places, found 3.'),
  of('"Weight":"12345.6"', 'Weight: expected at most 6 digits, found 6.'),
  of('"Weight":-1', 'Weight: expected at least 0, found -1.'),
  of('"Weight":1000', 'Weight: expected less than 1000, found 1000.'),
  of('"Seen":"2024-02-29T12:00:00.1234Z"', 'Seen: expected seconds with at most 3 decimal places, found 4.'),
  of('"Tags":["ok","too long"]', 'Tags/1: expected at most 5 characters, found 8.'),
];
