/**
 * Preparation of models, up to where they can be run or written: reading, checking, optimising,
 * partitioning, compiling.
 */
@NullMarked
package dev.millrace.session.prepare;

import org.jspecify.annotations.NullMarked;
