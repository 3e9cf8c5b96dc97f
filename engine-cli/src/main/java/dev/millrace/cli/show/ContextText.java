package dev.millrace.cli.show;

import dev.millrace.epcontext.ContextInfo;
import dev.millrace.providers.spi.WeightlessMode;
import dev.millrace.session.ModelCompatibility;
import java.io.PrintWriter;
import java.util.List;

/** What a compiled model holds, for a terminal. */
public final class ContextText {
    private ContextText() {}

    public static void print(ContextInfo info, List<ModelCompatibility> verdicts, PrintWriter out) {
        out.println(info.model());
        if (info.nodes().isEmpty()) {
            out.println("it has no EPContext node: nothing of it is compiled");
            return;
        }
        out.println("source  " + (info.sourceDigest().isEmpty() ? "unknown" : info.sourceDigest()));
        if (info.weightless() != WeightlessMode.NONE) {
            out.println("weights " + info.weightless() + " in the source");
        }
        for (ModelCompatibility each : verdicts) {
            out.println("suits   " + each.provider() + ": " + each.verdict() + ", " + each.reason()
                    + (each.compiledFor().isEmpty() ? "" : " (" + each.compiledFor() + ")"));
        }
        for (ContextInfo.ContextNode node : info.nodes()) {
            out.println("node    " + node.name() + " of " + node.source() + ", graph " + node.partition()
                    + (node.main() ? ", " + (node.embeds() ? "holds a binary" : "names " + node.binary()) : ""));
        }
        info.binaries().forEach(binary -> print(binary, out));
    }

    private static void print(ContextInfo.Binary binary, PrintWriter out) {
        out.println("binary  " + binary.name() + ", " + SessionText.bytes(binary.bytes())
                + (binary.trouble().isEmpty() ? "" : ", UNUSABLE: " + binary.trouble()));
        for (ContextInfo.CompiledPart graph : binary.graphs()) {
            out.println("  graph   " + graph.partition() + " of " + graph.source() + ", plan of "
                    + SessionText.bytes(graph.planBytes()) + ", segments " + graph.segments());
        }
        for (ContextInfo.Segment segment : binary.segments()) {
            int users = ContextInfo.users(binary, segment.number()).size();
            out.println("  segment " + segment.number() + ", " + SessionText.bytes(segment.bytes())
                    + (users > 1 ? ", shared by " + users + " graphs" : "")
                    + (segment.named() == null ? "" : ", in the source: " + segment.named())
                    + ", sha256:" + segment.digest());
        }
    }
}
