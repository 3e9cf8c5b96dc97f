/** Stages, labels and scores. */
@NullMarked
package dev.millrace.pipelines;

import org.jspecify.annotations.NullMarked;
