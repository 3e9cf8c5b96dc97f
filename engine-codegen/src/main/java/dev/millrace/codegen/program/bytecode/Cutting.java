package dev.millrace.codegen.program.bytecode;

import dev.millrace.codegen.program.Step;
import java.util.ArrayList;
import java.util.List;

/** A program cut into pieces of a number of steps at most. */
final class Cutting {
    private final int most;
    private final List<ProgramPart.Piece> pieces = new ArrayList<>();
    private final List<ProgramPart> parts;

    Cutting(List<Step> steps, int most) {
        this.most = most;
        parts = cut(steps);
    }

    List<ProgramPart> parts() {
        return parts;
    }

    List<ProgramPart.Piece> pieces() {
        return pieces;
    }

    /** Whether one piece is all of the program. */
    boolean isWhole() {
        return parts.isEmpty() || parts.size() == 1 && parts.getFirst() instanceof ProgramPart.Piece;
    }

    private List<ProgramPart> cut(List<Step> steps) {
        List<ProgramPart> cut = new ArrayList<>();
        List<Step> piece = new ArrayList<>();
        int size = 0;
        for (Step step : steps) {
            int more = size(step);
            if (size + more > most) {
                end(piece, cut);
                size = 0;
            }
            if (more <= most) {
                piece.add(step);
                size += more;
            } else if (step instanceof Step.Loop loop) {
                cut.add(new ProgramPart.Repeated(loop, cut(loop.body())));
            } else if (step instanceof Step.If condition) {
                cut.add(new ProgramPart.Chosen(condition, cut(condition.then()), cut(condition.otherwise())));
            }
        }
        end(piece, cut);
        return cut;
    }

    private void end(List<Step> piece, List<ProgramPart> cut) {
        if (!piece.isEmpty()) {
            ProgramPart.Piece ended = new ProgramPart.Piece(pieces.size(), List.copyOf(piece));
            pieces.add(ended);
            cut.add(ended);
            piece.clear();
        }
    }

    private static int size(Step step) {
        return switch (step) {
            case Step.Loop loop -> 1 + size(loop.body());
            case Step.If condition -> 1 + size(condition.then()) + size(condition.otherwise());
            default -> 1;
        };
    }

    private static int size(List<Step> steps) {
        return steps.stream().mapToInt(Cutting::size).sum();
    }
}
