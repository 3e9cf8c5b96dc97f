/** Models in Flink: a provider of models for SQL and an asynchronous function for streams, over one engine per process. */
@NullMarked
package dev.millrace.flink;

import org.jspecify.annotations.NullMarked;
