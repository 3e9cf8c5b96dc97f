/** Where models come from, and what to feed them. */
@NullMarked
package dev.millrace.cli.model;

import org.jspecify.annotations.NullMarked;
