/** Passages that are indexed and found with LangChain4j and Spring AI, on this engine and on ONNX Runtime. */
@NullMarked
package dev.millrace.example.rag;

import org.jspecify.annotations.NullMarked;
