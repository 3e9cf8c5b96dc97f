/** Fuzz tests of the engine by seed: mutated models, hostile inputs, damaged files and misused calls. */
@NullMarked
package dev.millrace.cli.fire;

import org.jspecify.annotations.NullMarked;
