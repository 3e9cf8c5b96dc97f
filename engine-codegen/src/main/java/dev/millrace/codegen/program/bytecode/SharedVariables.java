package dev.millrace.codegen.program.bytecode;

import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Step;
import dev.millrace.codegen.program.Variable;
import dev.millrace.codegen.program.VectorVar;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The places of variables that the pieces of a program share: vectors in one array, scalars and masks in another. A
 * variable of a single piece has no place, as that piece writes it before it reads it.
 */
final class SharedVariables {
    private final BitSet seen = new BitSet();
    private final Map<Integer, Integer> places = new HashMap<>();
    private int vectors;
    private int scalars;

    SharedVariables(List<ScalarVar> parameters, Cutting cutting) {
        parameters.forEach(this::share);
        shareControls(cutting.parts());
        for (ProgramPart.Piece piece : cutting.pieces()) {
            for (Variable variable : Accesses.of(piece.steps()).all()) {
                if (seen.get(variable.id())) {
                    share(variable);
                }
                seen.set(variable.id());
            }
        }
    }

    /** Shares the variables that control loops and conditions, which are read outside of pieces. */
    private void shareControls(List<ProgramPart> parts) {
        for (ProgramPart part : parts) {
            switch (part) {
                case ProgramPart.Piece _ -> {}
                case ProgramPart.Repeated(Step.Loop loop, List<ProgramPart> body) -> {
                    share(loop.counter());
                    shareControls(body);
                }
                case ProgramPart.Chosen(Step.If condition, List<ProgramPart> then, List<ProgramPart> otherwise) -> {
                    share(condition.value());
                    shareControls(then);
                    shareControls(otherwise);
                }
            }
        }
    }

    private void share(Variable variable) {
        places.computeIfAbsent(variable.id(), _ -> variable instanceof VectorVar ? vectors++ : scalars++);
    }

    boolean has(Variable variable) {
        return places.containsKey(variable.id());
    }

    /** Returns the index of a shared variable in the array of vectors, or in that of the others. */
    int place(Variable variable) {
        Integer place = places.get(variable.id());
        if (place == null) {
            throw new IllegalArgumentException(variable + " is not shared");
        }
        return place;
    }

    int vectors() {
        return vectors;
    }

    int scalars() {
        return scalars;
    }
}
