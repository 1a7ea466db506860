import { question, type World } from './world.ts';

const STATUS = ['active', 'paused', 'closed'] as const;
const COUNTRY = ['DE', 'FR', 'US', 'JP'] as const;
const STATE = ['open', 'paid', 'sent', 'void'] as const;

const customerId = (number: number): string => `cus_${String(number).padStart(5, '0')}`;
const timeAt = (hours: number): string => new Date(Date.UTC(2024, 0, 1) + hours * 3_600_000).toISOString();

const customers = Array.from({ length: 3000 }, (_, index) => ({
  id: customerId(index + 1),
  name: `Customer ${index + 1}`,
  email: `c${index + 1}@example.com`,
  status: STATUS[index % 3] ?? 'active',
  country: COUNTRY[index % 4] ?? 'DE',
  created_at: timeAt(index),
  balance: (index * 37) % 10_000,
}));

const orders = Array.from({ length: 6000 }, (_, index) => ({
  id: index + 1,
  customer_id: customerId((index % 3000) + 1),
  product_id: ((index * 7) % 120) + 1,
  state: STATE[(index * 5) % 4] ?? 'open',
  amount: ((index * 13) % 500) + 0.5,
  placed_at: timeAt(((index * 7919) % 6000) / 2),
}));

const products = Array.from({ length: 120 }, (_, index) => ({
  id: index + 1,
  name: `Product ${index + 1}`,
  category: ['book', 'game', 'tool'][index % 3] ?? '',
  price: ((index * 31) % 90) + 1,
  discontinued: index % 10 === 0,
}));

const string = { type: 'string' };
const integer = { type: 'integer' };
const time = { type: 'string', format: 'date-time' };

type Customer = (typeof customers)[number];
type Order = (typeof orders)[number];

const customersWhere = (isWanted: (row: Customer) => boolean): readonly string[] =>
  customers.filter(isWanted).map(({ id }) => id);
const ordersWhere = (isWanted: (row: Order) => boolean): readonly number[] =>
  orders.filter(isWanted).map(({ id }) => id);
const newest = orders.toSorted((a, b) => (a.placed_at < b.placed_at ? 1 : -1)).map(({ id }) => id);

/** The kinds of questions that clients ask, over an API whose parameters do what they are called. */
export const SHOP: World = {
  collections: [
    {
      path: '/customers',
      schema: 'Customer',
      key: 'id',
      rows: customers,
      paging: 'cursor',
      properties: {
        id: string,
        name: string,
        email: string,
        status: { type: 'string', enum: STATUS },
        country: string,
        created_at: time,
        balance: integer,
      },
      filters: {
        status: { property: 'status', op: 'eq' },
        country: { property: 'country', op: 'eq' },
        email: { property: 'email', op: 'eq' },
      },
    },
    {
      path: '/orders',
      schema: 'Order',
      key: 'id',
      rows: orders,
      paging: 'page',
      items: 'orders',
      properties: {
        id: integer,
        customer_id: { ...string, description: 'The id of the customer who placed it.' },
        product_id: integer,
        state: { type: 'string', enum: STATE },
        amount: { type: 'number' },
        placed_at: time,
      },
      filters: {
        customer_id: { property: 'customer_id', op: 'eq' },
        state: { property: 'state', op: 'eq' },
        placed_after: { property: 'placed_at', op: 'ge', description: 'At this time or later.' },
        ids: { property: 'id', op: 'in' },
      },
      sorts: { parameter: 'sort', values: { placed_at: ['placed_at', 1], '-placed_at': ['placed_at', -1] } },
    },
    {
      path: '/products',
      schema: 'Product',
      key: 'id',
      rows: products,
      paging: 'link',
      properties: {
        id: integer,
        name: string,
        category: string,
        price: integer,
        discontinued: { type: 'boolean' },
      },
    },
  ],
  questions: [
    question("Customer?$filter=Id eq 'cus_00777'", 1, ['cus_00777']),
    question("Customer?$filter=Id eq 'cus_00777' and Balance gt 5", 1, ['cus_00777']),
    question("Customer?$filter=Id in ('cus_00777','cus_01234')", 2, ['cus_00777', 'cus_01234']),
    question('Order?$filter=Id in (5,600,4200,17)', 1, [5, 600, 4200, 17], { anyOrder: true }),
    question("Customer?$filter=Id eq 'nobody'", 1, []),
    question(
      "Customer?$filter=Status eq 'paused'&$top=50",
      1,
      customersWhere(({ status }) => status === 'paused').slice(0, 50),
    ),
    question(
      "Customer?$filter=Status eq 'paused' and Country eq 'FR'",
      3,
      customersWhere(({ status, country }) => status === 'paused' && country === 'FR'),
    ),
    question(
      "Order?$filter=CustomerId eq 'cus_00777'",
      1,
      ordersWhere(({ customer_id }) => customer_id === 'cus_00777'),
    ),
    question(
      "Order?$filter=State eq 'void' and Amount gt 400&$top=5",
      2,
      ordersWhere(({ state, amount }) => state === 'void' && amount > 400).slice(0, 5),
    ),
    question(
      'Order?$filter=PlacedAt ge 2024-04-30T00:00:00Z',
      3,
      ordersWhere(({ placed_at }) => placed_at >= '2024-04-30'),
      { anyOrder: true },
    ),
    question('Order?$orderby=PlacedAt desc&$top=10', 1, newest.slice(0, 10)),
    question('Order?$filter=Amount gt 495&$top=3', 2, ordersWhere(({ amount }) => amount > 495).slice(0, 3)),
    question(
      "Customer?$filter=startswith(Name,'Customer 1')&$top=20",
      2,
      customersWhere(({ name }) => name.startsWith('Customer 1')).slice(0, 20),
    ),
    question(
      'Order?$skip=3000&$top=100',
      1,
      ordersWhere(({ id }) => id > 3000 && id <= 3100),
    ),
    question('Order/$count', 1, 6000),
    question("Order/$count?$filter=State eq 'void'", 1, 1500),
    question(
      'Product?$select=Id',
      2,
      products.map(({ id }) => id),
    ),
    question(
      'Order?$top=100&$expand=Customer($select=Name)',
      31,
      ordersWhere(({ id }) => id <= 100),
    ),
    question(
      'Order?$top=100&$expand=Product($select=Name)',
      3,
      ordersWhere(({ id }) => id <= 100),
    ),
    question("Customer?$filter=Id in ('cus_00001','cus_00002')&$expand=Orders", 4, [
      'cus_00001',
      'cus_00002',
    ]),
    question("Customer('cus_00042')?$expand=Orders", 2, ['cus_00042']),
    question(
      "Order?$filter=Product/Category eq 'tool' and CustomerId eq 'cus_00009'",
      3,
      ordersWhere(({ customer_id, product_id }) => customer_id === 'cus_00009' && (product_id - 1) % 3 === 2),
    ),
    question("Customer?$filter=Id eq 'cus_00042' and Orders/any(o:o/Amount gt 30)", 2, ['cus_00042']),
    question("Customer?$filter=Id eq 'cus_00042' and Orders/any(o:o/Amount gt 100)", 2, []),
    question(
      "Order/$count?$filter=CustomerId eq 'cus_00777'",
      1,
      ordersWhere(({ customer_id }) => customer_id === 'cus_00777').length,
    ),
  ],
};
