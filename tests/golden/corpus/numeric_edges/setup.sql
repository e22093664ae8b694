create table zz_done(id int primary key);
create domain n1 as numeric(4,-2);
create table t(id int primary key, a numeric, b numeric(38,0), c numeric(38,38), d numeric(3,5), e numeric(4,-2), f numeric(1000,500), g numeric(1,1), h decimal(18), i n1, j numeric[], k numeric(10,2)[], l money, m float4, n float8);
insert into t values (1,0,0,0,0,0,0,0,0,0,'{}','{}',0,0,0);
insert into t values (2,-1e-10,-99999999999999999999999999999999999999,0.00000000000000000000000000000000000001,0.00999,123456,1e499,-0.9,999999999999999999,-99999,'{1.00,-5e30,Infinity}','{1.10,-0.01,NULL}',-92233720368547758.08,-0,1e-45),(3,'NaN',null,null,null,null,'NaN',null,null,null,null,null,92233720368547758.07,'-Infinity','NaN');
