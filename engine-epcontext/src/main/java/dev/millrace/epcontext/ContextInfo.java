package dev.millrace.epcontext;

import dev.millrace.epcontext.binary.ContextTables;
import dev.millrace.epcontext.binary.SourcePlace;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.format.FileUse;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.providers.spi.EpContext;
import dev.millrace.providers.spi.WeightlessMode;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A description of a context model and its binaries.
 *
 * @param compatibility the compatibility text of each provider
 * @param sourceDigest the digest of the file that it was made from, or empty
 * @param weightless which weights its binaries name rather than hold
 */
public record ContextInfo(
        Path model,
        List<ContextNode> nodes,
        List<Binary> binaries,
        Map<String, String> compatibility,
        String sourceDigest,
        WeightlessMode weightless) {

    /**
     * A context node.
     *
     * @param main whether it names or holds a binary
     * @param binary the binary that it names, or empty
     */
    public record ContextNode(
            String name, String source, String partition, boolean main, boolean embeds, String binary) {}

    /**
     * A context binary.
     *
     * @param name the file as the model names it, or the node that holds it
     * @param trouble the reason why it cannot be read, or does not belong to the model; empty if it can and does
     */
    public record Binary(String name, long bytes, List<CompiledPart> graphs, List<Segment> segments, String trouble) {}

    /**
     * A compiled graph.
     *
     * @param segments the numbers of the segments that it reads
     */
    public record CompiledPart(String partition, String source, long planBytes, List<Integer> segments) {}

    /**
     * A segment of a binary.
     *
     * @param named its place in the source; null if it is in the binary
     */
    public record Segment(
            int number, long bytes, String digest, @Nullable SourcePlace named) {}

    /** Reads a model and its binaries completely, and describes them. */
    public static ContextInfo of(Path file) {
        Model model = Models.read(file, FileUse.BY_SIZE);
        var nodes = new ArrayList<ContextNode>();
        var binaries = new LinkedHashMap<String, Binary>();
        collect(model.graph(), file, nodes, binaries);
        return new ContextInfo(
                file,
                nodes,
                List.copyOf(binaries.values()),
                CompatibilityCheck.infos(model),
                model.metadata().getOrDefault(ContextModel.SOURCE_DIGEST, ""),
                Weightless.modeOf(model));
    }

    /** Whether a file is the one that the model was made from. */
    public boolean isOf(Path source) {
        return sourceDigest.equals(ContextModel.sourceDigest(source));
    }

    /** Returns the names of a binary's graphs that read a segment. */
    public static List<String> users(Binary binary, int segment) {
        return binary.graphs.stream()
                .filter(graph -> graph.segments.contains(segment))
                .map(CompiledPart::partition)
                .toList();
    }

    private static void collect(Graph graph, Path file, List<ContextNode> nodes, Map<String, Binary> binaries) {
        for (Node node : graph.nodes()) {
            if (node.op().equals(EpContext.OP)) {
                nodes.add(describe(node, file, binaries));
            }
            node.attributes().graphs().forEach(nested -> collect(nested, file, nodes, binaries));
        }
    }

    private static ContextNode describe(Node node, Path file, Map<String, Binary> binaries) {
        boolean main = node.attributes().integer(EpContext.MAIN_CONTEXT, 1) == 1;
        boolean embeds = node.attributes().integer(EpContext.EMBED_MODE, 1) == 1;
        String name = "";
        if (main && node.attributes().find(EpContext.CACHE_CONTEXT) instanceof Attribute.Bytes content) {
            name = embeds ? "in " + node.name() : content.text();
            binaries.computeIfAbsent(name, place -> open(node, content, embeds, place, file));
        }
        return new ContextNode(
                node.name(),
                node.attributes().text(EpContext.SOURCE, ""),
                node.attributes().text(EpContext.PARTITION, node.name()),
                main,
                embeds,
                name);
    }

    private static Binary open(Node node, Attribute.Bytes content, boolean embeds, String place, Path file) {
        try {
            ContextBinary binary = embeds
                    ? ContextBinary.of(MemorySegment.ofArray(content.value()), place)
                    : ContextBinary.open(ContextPath.locate(ContextPath.BINARY, content.text(), file), FileUse.BY_SIZE);
            return describe(binary, place, trouble(binary, node.attributes().text(ContextModelWriter.DIGEST, "")));
        } catch (EngineException e) {
            return new Binary(place, 0, List.of(), List.of(), String.valueOf(e.getMessage()));
        }
    }

    private static String trouble(ContextBinary binary, String digest) {
        if (!digest.isEmpty() && !digest.equals(binary.digest())) {
            return "it is not the one that was written with this model";
        }
        try {
            binary.prove();
            return "";
        } catch (EngineException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static Binary describe(ContextBinary binary, String place, String trouble) {
        ContextTables tables = binary.tables();
        var graphs = new ArrayList<CompiledPart>();
        for (ContextTables.GraphEntry graph : tables.graphs()) {
            graphs.add(new CompiledPart(graph.partition(), graph.source(), graph.planLength(), graph.segments()));
        }
        var segments = new ArrayList<Segment>();
        for (ContextTables.SegmentEntry segment : tables.segments()) {
            segments.add(new Segment(segments.size(), segment.length(), segment.digest(), segment.named()));
        }
        return new Binary(place, binary.byteSize(), graphs, segments, trouble);
    }
}
