package dev.millrace.epcontext;

import dev.millrace.epcontext.binary.BinaryImage;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.Uninterrupted;
import dev.millrace.graph.ir.Function;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.providers.partition.Partitioning;
import dev.millrace.providers.spi.EpContext;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Writes a model in which what providers compiled is kept: context nodes, and the binaries that they name. */
public final class ContextModelWriter {
    /** The attribute of a context node that tells which context binary is its own. */
    static final String DIGEST = "millrace_context_digest";

    private ContextModelWriter() {}

    /** Throws (INVALID_GRAPH) where a model is a context model itself. */
    public static void checkNotCompiled(Model model) {
        checkNotCompiled(model.graph());
        for (Function function : model.functions().values()) {
            checkNotCompiled(function.body());
        }
    }

    private static void checkNotCompiled(Graph graph) {
        for (Node node : graph.nodes()) {
            if (node.op().equals(EpContext.OP)) {
                throw EngineException.invalidGraph("Encountered an invalid node while compiling a model: it holds"
                        + " EPContext node '" + node.name() + "', so it is already compiled. Give its source model, or"
                        + " leave ep.context_enable (EpContextOptions.enable) off");
            }
            node.attributes().graphs().forEach(ContextModelWriter::checkNotCompiled);
        }
    }

    /** Writes a context model to where an output says, whole or not at all. */
    public static void write(CompiledModel compiled, ContextOutput output) {
        Map<String, BinaryImage> images = images(compiled, output);
        Model model = ContextModel.of(compiled, images, output);
        written(() -> {
            try (var staging = new Staging(output.requireModel())) {
                stageBinaries(staging, images, output);
                stageModel(staging, model, compiled, output);
                output.check(compiled.model());
                handOver(images, output);
                staging.publish();
            }
        });
    }

    /** Writes a context model to a stream that stays open, and what belongs beside it to where an output says. */
    public static void write(CompiledModel compiled, ContextOutput output, OutputStream to) {
        Map<String, BinaryImage> images = images(compiled, output);
        Model model = ContextModel.of(compiled, images, output);
        written(() -> {
            Path folder = output.folder();
            if (folder == null) {
                handOver(images, output);
                Models.write(model, to, output.tensors(), null);
                output.check(compiled.model());
                return;
            }
            try (var staging = new Staging(folder.resolve("model"))) {
                stageBinaries(staging, images, output);
                Path data = output.data();
                Models.write(model, to, output.tensors(), data == null ? null : staging.place(data, output.replaces()));
                output.check(compiled.model());
                handOver(images, output);
                staging.publish();
            }
        });
    }

    static void stageBinaries(Staging staging, Map<String, BinaryImage> images, ContextOutput output) {
        if (!output.embeds() && output.target() == null) {
            images.forEach((provider, image) -> image.writeTo(staging.place(output.binary(provider), true)));
        }
    }

    /** Hands binaries to the target of an output that has one. */
    static void handOver(Map<String, BinaryImage> images, ContextOutput output) {
        BinaryTarget target = output.target();
        if (output.embeds() || target == null) {
            return;
        }
        for (Map.Entry<String, BinaryImage> each : images.entrySet()) {
            String name = output.binaryName(each.getKey());
            try (OutputStream to = target.open(name)) {
                if (to == null) {
                    throw new IOException("it opened no stream");
                }
                each.getValue().writeTo(to);
            } catch (IOException | RuntimeException e) {
                throw new EngineException(
                        Status.FAIL,
                        "Caught exception while handing context binary '" + name + "' to the user's target: "
                                + e.getMessage(),
                        e);
            }
        }
    }

    static void stageModel(Staging staging, Model model, CompiledModel compiled, ContextOutput output) {
        Path data = output.data();
        if (data != null) {
            staging.place(data, output.replaces());
        }
        Models.write(
                model,
                staging.place(output.requireModel(), output.replaces()),
                compiled.source().tensors(compiled.model(), output));
    }

    /** A step that reads and writes. */
    interface Step {
        void go() throws IOException;
    }

    static void written(Step step) {
        try {
            Uninterrupted.get(() -> {
                step.go();
                return step;
            });
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, "the context model cannot be written: " + e, e);
        }
    }

    /** The binaries of those who kept something. */
    private static Map<String, BinaryImage> images(CompiledModel compiled, ContextOutput output) {
        var images = new LinkedHashMap<String, BinaryImage>();
        compiled.byProvider().forEach((provider, writer) -> {
            checkOwn(provider, writer.partitions(), compiled.parts());
            if (!writer.partitions().isEmpty()) {
                images.put(provider, writer.image(output.prefix()));
            }
        });
        return images;
    }

    /** Throws where a provider kept what it was not given to compile. */
    static void checkOwn(String provider, Set<String> kept, Partitioning parts) {
        var foreign = new HashSet<>(kept);
        parts.fused().stream()
                .filter(each -> each.provider().name().equals(provider))
                .forEach(each -> foreign.remove(each.partition().name()));
        if (!foreign.isEmpty()) {
            throw new EngineException(
                    Status.EP_FAIL, "provider '" + provider + "' keeps partitions that it was not given: " + foreign);
        }
    }
}
