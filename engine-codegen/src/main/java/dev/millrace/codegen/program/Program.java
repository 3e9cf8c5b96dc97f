package dev.millrace.codegen.program;

import java.util.List;

/**
 * A kernel as a value.
 *
 * @param name for errors, profiles and crash logs
 * @param parameters the six arguments of a call, or the first of them
 * @param variables how many variables there are; their ids are smaller
 */
public record Program(String name, Target target, List<ScalarVar> parameters, int variables, List<Step> steps) {
    /** A call passes this many longs. */
    public static final int MAX_PARAMETERS = 6;

    /** The program for a reader: a line for each step. */
    @Override
    public String toString() {
        return ProgramText.of(this);
    }
}
