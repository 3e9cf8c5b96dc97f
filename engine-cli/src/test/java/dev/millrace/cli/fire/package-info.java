/** Attacks on the engine by seed: models, inputs, files and calls that nobody means well with. */
@NullMarked
package dev.millrace.cli.fire;

import org.jspecify.annotations.NullMarked;
