import { powerQueryText, type Target } from './program-texts.ts';

/**
 * An Office Data Connection with a Power Query query, which Excel opens as a new workbook ([MS-ODCFF]
 * 2.7.1.1).
 *
 * Contains no key, because files are shared.
 */
export function officeDataConnection(target: Target): string {
  const name = escapeMarkup(target.entitySet);
  const provider = `Provider=Microsoft.Mashup.OleDb.1;Data Source=$Workbook$;Location=${name};Extended Properties=&quot;&quot;`;
  return `<html xmlns:o="urn:schemas-microsoft-com:office:office" xmlns="http://www.w3.org/TR/REC-html40">
<head>
<meta http-equiv=Content-Type content="text/x-ms-odc; charset=utf-8">
<meta name=ProgId content=ODC.Database>
<meta name=SourceType content=OLEDB>
<title>${name}</title>
<xml id=docprops><o:DocumentProperties xmlns:o="urn:schemas-microsoft-com:office:office">
 <o:Name>${name}</o:Name>
</o:DocumentProperties></xml>
<xml id=msodc><odc:OfficeDataConnection xmlns:odc="urn:schemas-microsoft-com:office:odc">
 <odc:PowerQueryConnection odc:Type="OLEDB">
  <odc:ConnectionString>${provider}</odc:ConnectionString>
  <odc:CommandType>SQL</odc:CommandType>
  <odc:CommandText>SELECT * FROM [${name}]</odc:CommandText>
 </odc:PowerQueryConnection>
 <odc:PowerQueryMashupData>${escapeMarkup(mashup(target))}</odc:PowerQueryMashupData>
</odc:OfficeDataConnection></xml>
</head>
<body></body>
</html>
`;
}

/** The query ([MS-QDEIF]), which is escaped in the file. */
function mashup(target: Target): string {
  return [
    '<Mashup xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns="http://schemas.microsoft.com/DataMashup">',
    '<Client>EXCEL</Client><Version>2.116.622.0</Version><MinVersion>2.21.0.0</MinVersion><Culture>en-US</Culture>',
    '<SafeCombine>true</SafeCombine><Items>',
    `<Query Name="${escapeMarkup(target.entitySet)}">`,
    `<Formula>${escapeMarkup(powerQueryText(target))}</Formula>`,
    '<IsParameterQuery xsi:nil="true" /><IsDirectQuery xsi:nil="true" />',
    '</Query></Items></Mashup>',
  ].join('');
}

function escapeMarkup(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
