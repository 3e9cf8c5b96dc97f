package dev.millrace.cli.show;

import dev.millrace.epcontext.ContextInfo;
import dev.millrace.graph.PlainText;
import dev.millrace.providers.spi.WeightlessMode;
import dev.millrace.session.ModelCompatibility;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Prints the description of a compiled model for a terminal. */
public final class ContextText {
    private ContextText() {}

    public static void print(ContextInfo info, List<ModelCompatibility> verdicts, PrintWriter out) {
        lines(info, verdicts).forEach(line -> out.println(PlainText.line(line)));
    }

    private static List<String> lines(ContextInfo info, List<ModelCompatibility> verdicts) {
        var lines = new ArrayList<String>();
        lines.add(info.model().toString());
        if (info.nodes().isEmpty()) {
            lines.add("it has no EPContext node: nothing of it is compiled");
            return lines;
        }
        lines.add("source  " + (info.sourceDigest().isEmpty() ? "unknown" : info.sourceDigest()));
        if (info.weightless() != WeightlessMode.NONE) {
            lines.add("weights " + info.weightless() + " in the source");
        }
        for (ModelCompatibility each : verdicts) {
            lines.add("suits   " + each.provider() + ": " + each.verdict() + ", " + each.reason()
                    + (each.compiledFor().isEmpty() ? "" : " (" + each.compiledFor() + ")"));
        }
        for (ContextInfo.ContextNode node : info.nodes()) {
            lines.add("node    " + node.name() + " of " + node.source() + ", graph " + node.partition()
                    + (node.main() ? ", " + (node.embeds() ? "holds a binary" : "names " + node.binary()) : ""));
        }
        info.binaries().forEach(binary -> add(binary, lines));
        return lines;
    }

    private static void add(ContextInfo.Binary binary, List<String> lines) {
        lines.add("binary  " + binary.name() + ", " + SessionText.bytes(binary.bytes())
                + (binary.trouble().isEmpty() ? "" : ", UNUSABLE: " + binary.trouble()));
        for (ContextInfo.CompiledPart graph : binary.graphs()) {
            lines.add("  graph   " + graph.partition() + " of " + graph.source() + ", plan of "
                    + SessionText.bytes(graph.planBytes()) + ", segments " + graph.segments());
        }
        for (ContextInfo.Segment segment : binary.segments()) {
            int users = ContextInfo.users(binary, segment.number()).size();
            lines.add("  segment " + segment.number() + ", " + SessionText.bytes(segment.bytes())
                    + (users > 1 ? ", shared by " + users + " graphs" : "")
                    + (segment.named() == null ? "" : ", in the source: " + segment.named())
                    + ", sha256:" + segment.digest());
        }
    }
}
