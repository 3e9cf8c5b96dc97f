package dev.millrace.providers.simd.program;

import dev.millrace.graph.PlainText;
import dev.millrace.scheduler.plan.MemoryPlanner;
import java.util.List;
import java.util.Locale;

/** A program for a reader: its steps, what they read and write, and where that lies. */
final class PartitionProgramText {
    private PartitionProgramText() {}

    static String of(PartitionProgram program) {
        var text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "  %d steps in a block of %,d bytes%n",
                program.steps().size(),
                program.blockBytes()));
        for (int i = 0; i < program.steps().size(); i++) {
            ProgramStep step = program.steps().get(i);
            text.append(String.format(Locale.ROOT, "  %3d %s  (%s)%n", i, step.kernel(), PlainText.line(step.node())));
            add(text, "reads ", step.reads());
            add(text, "writes", step.writes());
        }
        return text.toString();
    }

    private static void add(StringBuilder text, String what, List<View> views) {
        for (View view : views) {
            text.append("        ").append(what).append(' ').append(place(view)).append(": ");
            text.append(view).append(System.lineSeparator());
        }
    }

    private static String place(View view) {
        Storage root = view.storage().root();
        long offset = view.storage().offsetInRoot() + view.byteOffset();
        return switch (root.kind()) {
            case INPUT -> "input " + root.index() + plus(offset);
            case OUTPUT -> "output " + root.index() + plus(offset);
            case CONSTANT -> "constant" + plus(offset);
            case BLOCK -> {
                MemoryPlanner.Buffer buffer = root.buffer();
                yield "block" + plus((buffer == null ? 0 : buffer.offset()) + offset);
            }
        };
    }

    private static String plus(long offset) {
        return offset == 0 ? "" : "+" + offset;
    }
}
