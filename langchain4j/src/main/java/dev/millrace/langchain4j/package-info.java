/** Models of LangChain4j over the engine. */
@NullMarked
package dev.millrace.langchain4j;

import org.jspecify.annotations.NullMarked;
