/** A Spark job that adds the vectors of texts to a table. */
@NullMarked
package dev.millrace.example.spark;

import org.jspecify.annotations.NullMarked;
