/** Stages for texts: classes, order by relevance, spans, answers and missing words. */
@NullMarked
package dev.millrace.pipelines.text;

import org.jspecify.annotations.NullMarked;
