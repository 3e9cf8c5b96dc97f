package dev.millrace.codegen.program.bytecode;

import dev.millrace.codegen.program.Step;
import java.util.List;

/** Part of a program that is too large for one method: methods, and the loops and conditions around them. */
sealed interface ProgramPart {
    /**
     * Consecutive steps that make a method of their own.
     *
     * @param number counted from 0 in the order of the program
     */
    record Piece(int number, List<Step> steps) implements ProgramPart {}

    /** A loop whose body is too large. */
    record Repeated(Step.Loop loop, List<ProgramPart> body) implements ProgramPart {}

    /** A condition whose cases are too large. */
    record Chosen(Step.If condition, List<ProgramPart> then, List<ProgramPart> otherwise) implements ProgramPart {}
}
