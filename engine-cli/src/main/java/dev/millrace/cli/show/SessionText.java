package dev.millrace.cli.show;

import dev.millrace.graph.PlainText;
import dev.millrace.graph.ir.Model;
import dev.millrace.inspect.ModelFacts;
import dev.millrace.scheduler.run.StretchSummary;
import dev.millrace.session.Session;
import dev.millrace.session.SessionReport.PartitionInfo;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Prints the facts of a model and the parts of its session as tables of text. */
public final class SessionText {
    private SessionText() {}

    /** Prints a line for each fact of a model's file. */
    public static void facts(ModelFacts facts, PrintWriter out) {
        lines(facts).forEach(line -> out.println(PlainText.line(line)));
    }

    private static List<String> lines(ModelFacts facts) {
        var lines = new ArrayList<String>();
        lines.add(facts.file() + ", " + bytes(facts.bytes()));
        Model model = facts.model();
        Model.Header header = model.header();
        lines.add("IR " + header.irVersion() + ", producer " + header.producerName() + " " + header.producerVersion());
        model.opsets().forEach((domain, opset) -> lines.add("opset " + ModelFacts.domain(domain) + " " + opset));
        model.metadata().forEach((key, value) -> lines.add("metadata " + key + ": " + value));
        model.graph().inputs().forEach(input -> lines.add("input  " + input));
        List<String> names = model.graph().outputNames();
        for (int i = 0; i < names.size(); i++) {
            lines.add("output " + names.get(i) + ": "
                    + model.graph().outputs().get(i).described());
        }
        lines.add("%d nodes, %d initializers, %,d parameters, %s"
                .formatted(facts.nodes(), facts.initializers(), facts.parameters(), bytes(facts.parameterBytes())));
        facts.operators().forEach((operator, count) -> lines.add("  %5d %s".formatted(count, operator)));
        return lines;
    }

    /**
     * Prints the number of partitions and nodes for each provider, compiled ones and single nodes apart. A sequence of
     * single nodes counts as one partition.
     */
    public static void partitions(Session session, PrintWriter out) {
        var compiled = new TreeMap<String, int[]>();
        for (PartitionInfo part : session.report().partitions()) {
            int[] counts = compiled.computeIfAbsent(
                    part.provider() + (part.compiled() ? " compiled" : " kernels"), key -> new int[2]);
            counts[0]++;
            counts[1] += part.nodes();
        }
        out.printf("%-20s %11s %7s%n", "provider", "partitions", "nodes");
        compiled.forEach((name, counts) -> out.printf("%-20s %11d %7d%n", name, counts[0], counts[1]));
    }

    /** Prints every partition with its operators. */
    public static void partitionList(Session session, PrintWriter out) {
        out.printf("%-8s %-9s %6s  %s%n", "provider", "kind", "nodes", "operators");
        for (PartitionInfo part : session.report().partitions()) {
            out.printf(
                    "%-8s %-9s %6d  %s%n",
                    part.provider(),
                    part.compiled() ? "compiled" : "kernels",
                    part.nodes(),
                    PlainText.line(counts(part.operators())));
        }
    }

    static String counts(Map<String, Integer> operators) {
        return operators.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                .map(entry -> entry.getValue() == 1 ? entry.getKey() : entry.getKey() + "×" + entry.getValue())
                .collect(Collectors.joining(" "));
    }

    /** Prints the notes on the model, if there are any. */
    public static void notes(Session session, PrintWriter out) {
        if (!session.report().notes().isEmpty()) {
            out.println("\nNotes");
            session.report().notes().forEach(note -> out.println("  " + PlainText.line(note)));
        }
    }

    /** Prints the time of each phase of the session's creation. */
    public static void phases(Session session, PrintWriter out) {
        session.report()
                .phases()
                .forEach((phase, time) -> out.printf("  %-14s %8.2f ms%n", phase, time.toNanos() / 1e6));
        out.printf("  %-14s %8.2f ms%n", "total", session.report().creation().toNanos() / 1e6);
    }

    /** Prints the programs of partitions that were run. */
    public static void programs(Session session, PrintWriter out) {
        for (StretchSummary stretch : session.stretches()) {
            for (String text : stretch.programs()) {
                out.println("\nProgram of " + text);
            }
        }
    }

    /** Prints the memory blocks of the stretches that were run. */
    public static void memory(Session session, PrintWriter out) {
        for (StretchSummary stretch : session.stretches()) {
            out.printf(
                    "  steps %d to %d: %d launches, %d values in a block of %s (%s without sharing)%n",
                    stretch.firstStep(),
                    stretch.endStep() - 1,
                    stretch.launches(),
                    stretch.places().size(),
                    bytes(stretch.blockBytes()),
                    bytes(stretch.unsharedBytes()));
            stretch.onDevices().forEach(block -> out.println("    " + bytes(block.bytes()) + " on " + block.place()));
            stretch.streams()
                    .forEach(stream -> out.println(
                            "    stream of " + stream.device() + ": " + String.join(", ", stream.instructions())));
        }
    }

    /** Returns a size in human-readable form. */
    public static String bytes(long bytes) {
        if (bytes < 1 << 10) {
            return bytes + " B";
        }
        double kilo = bytes / 1024.0;
        return kilo < 1024 ? "%.1f KiB".formatted(kilo) : "%.1f MiB".formatted(kilo / 1024);
    }
}
