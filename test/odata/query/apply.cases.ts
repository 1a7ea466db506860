import type { Row } from '../../../src/contract/row.ts';

/** `$apply` over the sales, and all that it makes of them. */
type Case = readonly [apply: string, results: readonly Row[]];

export const OVER_SALES: Readonly<Record<string, readonly Case[]>> = {
  '3.1.3.1, sum': [
    ['aggregate(Amount with sum as Total)', [{ Total: 24.03 }]],
    ['aggregate(Pieces with sum as Total,Weight with sum as Heavy)', [{ Total: 10, Heavy: 5.5 }]],
    ['aggregate(Pieces mul 2 add 1 with sum as Total)', [{ Total: 26 }]],
    ['aggregate(Amount mul Product/TaxRate with sum as Tax)', [{ Tax: 2.0834 }]],
    ['filter(Amount eq null)/aggregate(Amount with sum as Total)', [{ Total: null }]],
    [
      'filter(false)/aggregate(Pieces with sum as Total,Weight with sum as Heavy)',
      [{ Total: null, Heavy: null }],
    ],
  ],
  '3.1.3.2 and 3.1.3.3, min and max': [
    ['aggregate(Amount with min as Least,Amount with max as Most)', [{ Least: 1.01, Most: 8 }]],
    [
      'aggregate(At with max as Last,Product/Name with min as First)',
      [{ Last: '2022-03-11T00:00:00Z', First: 'Paper' }],
    ],
    ['filter(false)/aggregate(Amount with max as Most)', [{ Most: null }]],
  ],
  '3.1.3.4, average': [
    ['aggregate(Weight with average as Mean)', [{ Mean: 0.6875 }]],
    ['aggregate(Pieces with average as Mean)', [{ Mean: '1.666666666666666666666666667' }]],
    ['filter(Amount le 2)/aggregate(Amount with average as Mean)', [{ Mean: 1.67 }]],
    ['filter(Pieces eq null)/aggregate(Pieces with average as Mean)', [{ Mean: null }]],
  ],
  '3.1.3.5, countdistinct': [
    ['aggregate(Customer/Country with countdistinct as Countries)', [{ Countries: 2 }]],
    ['aggregate(Product with countdistinct as Products)', [{ Products: 3 }]],
    ['aggregate(Amount with countdistinct as Amounts)', [{ Amounts: 6 }]],
    ['aggregate(At with countdistinct as Moments)', [{ Moments: 6 }]],
    ['aggregate(ShipTo with countdistinct as Places)', [{ Places: 2 }]],
  ],
  '3.2.1.3, from': [
    ['aggregate(Amount with sum from Customer/Name with max as Best)', [{ Best: 12 }]],
    ['aggregate(Pieces with sum from Customer/Id,Product/Id with min as Least)', [{ Least: 1 }]],
    [
      'aggregate(Amount with sum from Product/Name with max from Customer/Country with min as Worst)',
      [{ Worst: 3.01 }],
    ],
    ['aggregate($count from Customer/Id with average as Mean)', [{ Mean: '2.6666666666666666666666666667' }]],
  ],
  '3.2.1.4, $count': [
    ['aggregate($count as Sales)', [{ Sales: 8 }]],
    ['filter(false)/aggregate($count as Sales)', [{ Sales: 0 }]],
  ],
  '3.2.3.1, groupby': [
    [
      'groupby((Customer/Country,Product/Name),aggregate(Amount with sum as Total))',
      [
        { Customer: { Country: 'US' }, Product: { Name: 'Paper' }, Total: 5.01 },
        { Customer: { Country: 'US' }, Product: { Name: 'Tea' }, Total: 2 },
        { Customer: { Country: 'US' }, Product: { Name: 'Rice' }, Total: 12.01 },
        { Customer: { Country: 'NL' }, Product: { Name: 'Tea' }, Total: 2 },
        { Customer: { Country: 'NL' }, Product: { Name: 'Paper' }, Total: 3.01 },
      ],
    ],
    [
      'groupby((Product/Group/Name,Product/Name))',
      [
        { Product: { Group: { Name: 'Desk' }, Name: 'Paper' } },
        { Product: { Group: { Name: 'Food' }, Name: 'Tea' } },
        { Product: { Group: { Name: 'Food' }, Name: 'Rice' } },
      ],
    ],
    [
      'groupby((ShipTo/City),aggregate($count as N))',
      [
        { ShipTo: { City: 'Bonn' }, N: 4 },
        { ShipTo: { City: 'Oslo' }, N: 2 },
        { ShipTo: null, N: 2 },
      ],
    ],
    [
      'groupby((Customer),aggregate($count as N))',
      [
        { Customer: { Id: 'C1', Name: 'Ann', Country: 'US' }, N: 3 },
        { Customer: { Id: 'C2', Name: 'Ben', Country: 'US' }, N: 2 },
        { Customer: { Id: 'C3', Name: 'Coy', Country: 'NL' }, N: 3 },
      ],
    ],
    [
      'filter(Amount le 3)/groupby((Pieces,Amount))',
      [
        { Pieces: 1, Amount: 1.01 },
        { Pieces: 2, Amount: 2 },
      ],
    ],
    ['filter(Amount eq 4)/groupby((Amount),aggregate($count as N))', [{ Amount: '4.00', N: 1 }]],
    [
      'groupby((Product/Name),aggregate(Amount with max as Amount))',
      [
        { Product: { Name: 'Paper' }, Amount: '4.00' },
        { Product: { Name: 'Tea' }, Amount: 2 },
        { Product: { Name: 'Rice' }, Amount: 8 },
      ],
    ],
    ['filter(false)/groupby((Pieces),aggregate($count as N))', []],
  ],
  '3.2.3.1, groupby with sequences of transformations': [
    [
      'groupby((Customer/Country),topcount(1,Amount)/aggregate(Id with max as Sale))',
      [
        { Customer: { Country: 'US' }, Sale: 'S4' },
        { Customer: { Country: 'NL' }, Sale: 'S8' },
      ],
    ],
    [
      'groupby((Customer/Country),groupby((Customer/Name),aggregate(Amount with sum as Total)))',
      [
        { Customer: { Country: 'US', Name: 'Ann' }, Total: 7.02 },
        { Customer: { Country: 'US', Name: 'Ben' }, Total: 12 },
        { Customer: { Country: 'NL', Name: 'Coy' }, Total: 5.01 },
      ],
    ],
    [
      'groupby((Product/Id,Customer/Id),aggregate(Amount with sum as Total))' +
        '/groupby((Product/Id),aggregate(Total with average as Mean))',
      [
        { Product: { Id: 'P3' }, Mean: '2.6733333333333333333333333333' },
        { Product: { Id: 'P1' }, Mean: 2 },
        { Product: { Id: 'P2' }, Mean: 6.005 },
      ],
    ],
    [
      'filter(Pieces gt 1)/compute(month(At) as M)/groupby((M),groupby((M,Pieces),aggregate($count as N)))',
      [
        { M: 1, Pieces: 2, N: 1 },
        { M: 2, Pieces: 3, N: 1 },
        { M: 3, Pieces: 2, N: 1 },
      ],
    ],
  ],
  '3.2.3.2, rollup': [
    [
      'groupby((rollup(Customer/Country,Customer/Name)),aggregate(Pieces with sum as Sum))',
      [
        { Customer: { Country: 'US', Name: 'Ann' }, Sum: 3 },
        { Customer: { Country: 'US', Name: 'Ben' }, Sum: 4 },
        { Customer: { Country: 'NL', Name: 'Coy' }, Sum: 3 },
        { Customer: { Country: 'US' }, Sum: 7 },
        { Customer: { Country: 'NL' }, Sum: 3 },
      ],
    ],
    [
      'filter(Pieces eq 2)/groupby((rollup($all,Pieces),rollup($all,Product/Name)),aggregate($count as N))',
      [
        { Pieces: 2, Product: { Name: 'Tea' }, N: 2 },
        { Pieces: 2, N: 2 },
        { Product: { Name: 'Tea' }, N: 2 },
        { N: 2 },
      ],
    ],
    ['filter(Pieces eq 3)/groupby((rollup($all,Pieces)))', [{ Pieces: 3 }, {}]],
  ],
  '3.3.1, the highest and lowest values': [
    ['topcount(2,Amount)/groupby((Id))', [{ Id: 'S4' }, { Id: 'S3' }]],
    ['bottomcount(2,Amount)/groupby((Id))', [{ Id: 'S7' }, { Id: 'S1' }]],
    ['topcount($these/$count div 4,Amount)/groupby((Id))', [{ Id: 'S4' }, { Id: 'S3' }]],
    ['topcount($these/$count($filter=Amount gt 4),Amount)/groupby((Id))', [{ Id: 'S4' }, { Id: 'S3' }]],
    ['topsum(12.01,Amount)/groupby((Id))', [{ Id: 'S4' }, { Id: 'S3' }]],
    ['topsum(12.02,Amount)/groupby((Id))', [{ Id: 'S4' }, { Id: 'S3' }, { Id: 'S5' }]],
    ['topsum(1000,Pieces)/aggregate($count as N)', [{ N: 8 }]],
    ['compute(Pieces mul -1 as M)/topsum(0,M)/aggregate($count as N)', [{ N: 0 }]],
    ['compute(Pieces mul -1 as M)/topsum(-1000,M)/aggregate($count as N)', [{ N: 8 }]],
    [
      'compute(0 sub Amount as M)/bottomsum(-12.01,M)/groupby((Id))',
      [{ Id: 'S7' }, { Id: 'S4' }, { Id: 'S3' }],
    ],
    [
      'compute(0 sub Amount as M)/bottomsum(-12.02,M)/groupby((Id))',
      [{ Id: 'S7' }, { Id: 'S4' }, { Id: 'S3' }, { Id: 'S5' }],
    ],
    [
      'compute(0 sub Pieces as M)/bottompercent(50,M)/groupby((Id))',
      [{ Id: 'S3' }, { Id: 'S7' }, { Id: 'S4' }, { Id: 'S2' }],
    ],
    ['bottomsum(3,Amount)/groupby((Id))', [{ Id: 'S7' }, { Id: 'S1' }, { Id: 'S2' }]],
    ['toppercent(50,Pieces)/groupby((Id))', [{ Id: 'S4' }, { Id: 'S2' }]],
    ['toppercent(50.1,Pieces)/groupby((Id))', [{ Id: 'S4' }, { Id: 'S2' }, { Id: 'S6' }]],
    ['bottompercent(10,Weight)/groupby((Id))', [{ Id: 'S2' }, { Id: 'S6' }, { Id: 'S1' }]],
    ['toppercent(100,Weight)/aggregate($count as N)', [{ N: 8 }]],
  ],
  '3.3.2, concat': [
    [
      'concat(groupby((Product/Group/Name),aggregate(Pieces with sum as Sum)),aggregate(Pieces with sum as Sum))',
      [
        { Product: { Group: { Name: 'Desk' } }, Sum: 3 },
        { Product: { Group: { Name: 'Food' } }, Sum: 7 },
        { Sum: 10 },
      ],
    ],
    ['concat(topcount(1,Amount),bottomcount(1,Weight))/groupby((Id))', [{ Id: 'S4' }, { Id: 'S2' }]],
    [
      'concat(aggregate(Pieces with max as M),aggregate(Weight with max as M))/aggregate(M with sum as Both)',
      [{ Both: 5 }],
    ],
  ],
  '3.3, transformations of system query options': [
    ['identity/filter(Amount gt 4)/orderby(Amount)/groupby((Id))', [{ Id: 'S3' }, { Id: 'S4' }]],
    ['orderby(Product/Name,Amount desc)/skip(1)/top(2)/groupby((Id))', [{ Id: 'S8' }, { Id: 'S1' }]],
    ['groupby((Customer/Name))/orderby(Customer/Name desc)/top(1)', [{ Customer: { Name: 'Coy' } }]],
    ['search(s7)/groupby((Id))', [{ Id: 'S7' }]],
    ['top(0)/aggregate($count as N)', [{ N: 0 }]],
  ],
  '3.4.1, compute': [
    [
      'compute(month(At) as Month)/groupby((Month),aggregate(Pieces with sum as Sum))',
      [
        { Month: 1, Sum: 3 },
        { Month: 2, Sum: 3 },
        { Month: 3, Sum: 4 },
      ],
    ],
    [
      'compute(Pieces mul 2 as Twice,Twice mul 2 as Fourfold)/filter(Fourfold gt 8)/groupby((Id,Twice))',
      [{ Id: 'S4', Twice: 6 }],
    ],
    [
      'groupby((Customer/Name),aggregate(Pieces with sum as Sum))' +
        '/compute(Sum mul 100 divby $these/aggregate(Sum with sum) as Share)',
      [
        { Customer: { Name: 'Ann' }, Sum: 3, Share: 30 },
        { Customer: { Name: 'Ben' }, Sum: 4, Share: 40 },
        { Customer: { Name: 'Coy' }, Sum: 3, Share: 30 },
      ],
    ],
  ],
  '3.5.3, nest': [
    [
      'filter(Pieces eq 1)/groupby((Product/Name),nest(groupby((Customer/Name)) as Buyers,aggregate($count as N) as Counts))',
      [
        {
          Product: { Name: 'Paper' },
          Buyers: [
            { Customer: { Name: 'Ann' } },
            { Customer: { Name: 'Ben' } },
            { Customer: { Name: 'Coy' } },
          ],
          Counts: [{ N: 3 }],
        },
      ],
    ],
    [
      'groupby((Customer/Name),nest(groupby((Product/Name),aggregate($count as N)) as Parts))' +
        '/filter(Parts/any(part:part/N gt 1))/compute(Parts/$count as Kinds)/groupby((Customer/Name,Kinds))',
      [{ Customer: { Name: 'Coy' }, Kinds: 2 }],
    ],
  ],
};

/** The same over the products. */
export const OVER_PRODUCTS: Readonly<Record<string, readonly Case[]>> = {
  '3.1.1, paths behind collections': [
    ['aggregate(Sales/Amount with sum as Total)', [{ Total: 24.03 }]],
    [
      'aggregate(Sales/Customer with countdistinct as Buyers,Notes/Stars with max as Best)',
      [{ Buyers: 3, Best: 5 }],
    ],
    ['aggregate(Tags with countdistinct as Tags)', [{ Tags: 3 }]],
    [
      'groupby((Name),aggregate(Sales/$count as Sales,Sales/Pieces with sum as Pieces))',
      [
        { Name: 'Tea', Sales: 2, Pieces: 4 },
        { Name: 'Rice', Sales: 2, Pieces: 3 },
        { Name: 'Paper', Sales: 4, Pieces: 3 },
        { Name: 'Pen', Sales: 0, Pieces: null },
      ],
    ],
  ],
  '3.5.2, addnested': [
    [
      'addnested(Sales,filter(Pieces gt 1) as Many,aggregate($count as N) as Counts)' +
        '/filter(Counts/any(c:c/N gt 0))/compute(Many/$count as M)/groupby((Name,M))',
      [
        { Name: 'Tea', M: 2 },
        { Name: 'Rice', M: 1 },
        { Name: 'Paper', M: 0 },
      ],
    ],
    [
      'addnested(Notes,filter(Stars gt 3) as Good)/join(Good as Note)/groupby((Name,Note/Text))',
      [
        { Name: 'Tea', Note: { Text: 'green' } },
        { Name: 'Rice', Note: { Text: 'white' } },
      ],
    ],
    [
      "addnested(Group,identity as All,filter(Name eq 'Desk') as Desks)" +
        '/compute(All/$count as A,Desks/$count as D)/groupby((A,D),aggregate($count as N))',
      [
        { A: 1, D: 0, N: 2 },
        { A: 1, D: 1, N: 2 },
      ],
    ],
    [
      'addnested(Sales,addnested(Customer,identity as Buyers)/compute(Buyers/$count as B) as Sold)' +
        '/filter(Sold/all(s:s/B eq 1))/groupby((Name))',
      [{ Name: 'Tea' }, { Name: 'Rice' }, { Name: 'Paper' }, { Name: 'Pen' }],
    ],
    [
      "addnested(Sales/Customer,filter(Country eq 'NL') as Dutch)" +
        '/aggregate(Sales/Dutch/Name with countdistinct as Names,Sales/Pieces with sum as Pieces)',
      [{ Names: 1, Pieces: 10 }],
    ],
    [
      'addnested(Sales/ShipTo,aggregate($count as N) as Places)' +
        '/compute(Sales/$count($filter=Places/any(p:p/N gt 0)) as Sent)/groupby((Name,Sent))',
      [
        { Name: 'Tea', Sent: 2 },
        { Name: 'Rice', Sent: 1 },
        { Name: 'Paper', Sent: 3 },
        { Name: 'Pen', Sent: 0 },
      ],
    ],
  ],
  '3.5.1, join and outerjoin': [
    [
      'join(Notes as Note,filter(Stars gt 3))/groupby((Name,Note/Text))',
      [
        { Name: 'Tea', Note: { Text: 'green' } },
        { Name: 'Rice', Note: { Text: 'white' } },
      ],
    ],
    [
      'outerjoin(Sales as Sale,aggregate(Amount with sum as Total))/groupby((Name,Sale/Total))',
      [
        { Name: 'Tea', Sale: { Total: 4 } },
        { Name: 'Rice', Sale: { Total: 12.01 } },
        { Name: 'Paper', Sale: { Total: 8.02 } },
        { Name: 'Pen', Sale: { Total: null } },
      ],
    ],
    [
      'outerjoin(Sales as Sale,filter(Pieces gt 2))/groupby((Name,Sale/Id))',
      [
        { Name: 'Tea', Sale: null },
        { Name: 'Rice', Sale: { Id: 'S4' } },
        { Name: 'Paper', Sale: null },
        { Name: 'Pen', Sale: null },
      ],
    ],
    ['join(Group as Of)/groupby((Of/Name))', [{ Of: { Name: 'Food' } }, { Of: { Name: 'Desk' } }]],
  ],
  '5.2, the function isdefined': [
    [
      'groupby((rollup($all,Group/Name,Name)),aggregate($count as N))/filter(not isdefined(Name))',
      [{ Group: { Name: 'Food' }, N: 2 }, { Group: { Name: 'Desk' }, N: 2 }, { N: 4 }],
    ],
    [
      'groupby((rollup($all,Group/Name)),aggregate($count as N))/filter(not isdefined(Group/Name) or N lt 2)',
      [{ N: 4 }],
    ],
    ['concat(top(1),aggregate($count as N))/filter(isdefined(N))/groupby((N))', [{ N: 4 }]],
    [
      'outerjoin(Notes as Note)/filter(isdefined(Note) and not isdefined(Note/Text))/groupby((Name))',
      [{ Name: 'Paper' }, { Name: 'Pen' }],
    ],
    [
      'compute(null as Nothing)/filter(isdefined(Nothing) and isdefined($it/Name))/aggregate($count as N)',
      [{ N: 4 }],
    ],
  ],
  '5.1, the function aggregate': [
    ['filter(Sales/aggregate(Pieces with sum) gt 3)/groupby((Name))', [{ Name: 'Tea' }]],
    [
      'compute(Notes/aggregate($count) as Notes2)/groupby((Notes2),aggregate($count as N))',
      [
        { Notes2: 1, N: 1 },
        { Notes2: 2, N: 1 },
        { Notes2: 0, N: 2 },
      ],
    ],
  ],
};
