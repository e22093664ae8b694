#!/usr/bin/env bash
# jars GROUP:ARTIFACT:VERSION...: Maven brings exactly these into the current folder. Sourced by the findings that run Java.
jars() {
  local one group artifact version
  {
    echo '<project><modelVersion>4.0.0</modelVersion><groupId>findings</groupId><artifactId>jars</artifactId><version>1</version><dependencies>'
    for one in "$@"; do
      IFS=: read -r group artifact version <<<"$one"
      echo "<dependency><groupId>$group</groupId><artifactId>$artifact</artifactId><version>$version</version></dependency>"
    done
    echo '</dependencies></project>'
  } >pom.xml
  mvn -B -q org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies -DexcludeTransitive=true -DoutputDirectory=.
}
