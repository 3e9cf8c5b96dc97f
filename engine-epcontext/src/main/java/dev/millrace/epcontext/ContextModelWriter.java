package dev.millrace.epcontext;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.FileMapping;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.Uninterrupted;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Function;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import dev.millrace.providers.partition.Partitioning;
import dev.millrace.providers.spi.EpContext;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Writes a model in which what providers compiled is kept: context nodes, and the binaries that they name. */
public final class ContextModelWriter {
    private static final System.Logger LOG = System.getLogger(ContextModelWriter.class.getName());

    /** The metadata entry that tells which file a context model was made from. */
    private static final String SOURCE_DIGEST = "millrace.source_digest";

    /** The attribute of a context node that tells which context binary is its own. */
    static final String DIGEST = "millrace_context_digest";

    private static final String SDK_VERSION = "millrace context " + ContextTables.VERSION;

    /** What a model may take besides an embedded binary, so that the whole stays below 2 GB. */
    private static final long ROOM = 1 << 20;

    private final Map<String, ContextBinaryWriter> byProvider;
    private final EpContextOptions options;
    private final ContextOutput output;
    private final Map<String, Set<String>> kept = new LinkedHashMap<>();
    private final Map<String, ContextImage> images = new LinkedHashMap<>();
    private final Set<String> mains = new HashSet<>();

    private ContextModelWriter(
            Map<String, ContextBinaryWriter> byProvider, EpContextOptions options, ContextOutput output) {
        this.byProvider = byProvider;
        this.options = options;
        this.output = output;
    }

    /** Throws where the options ask for a context model that could not be written, before anything is compiled. */
    public static void check(EpContextOptions options, Model model) {
        if (!options.enable()) {
            return;
        }
        if (options.share() || options.stopShare()) {
            throw EngineException.notImplemented(
                    "ep.share_ep_contexts and ep.stop_share_ep_contexts cannot be combined with ep.context_enable yet");
        }
        checkNotCompiled(model.graph());
        for (Function function : model.functions().values()) {
            checkNotCompiled(function.body());
        }
        ContextOutput.of(options, model);
    }

    private static void checkNotCompiled(Graph graph) {
        for (Node node : graph.nodes()) {
            if (node.op().equals(EpContext.OP)) {
                throw EngineException.invalidArgument("ep.context_enable (EpContextOptions.enable) asks for a context"
                        + " model, but the model is already compiled: it holds EPContext node '" + node.name()
                        + "'. Give its source model, or leave the option off");
            }
            node.attributes().graphs().forEach(ContextModelWriter::checkNotCompiled);
        }
    }

    /**
     * Writes the context model that the options ask for, the binaries first. The model's graph stays as it is.
     *
     * @param parts how the model's graph was shared out
     * @param byProvider what was compiled
     * @param compatibility what providers want to be asked about when the context model is loaded
     * @return the context model, or null where nothing was compiled and so nothing is written
     */
    public static @Nullable Path write(
            Model model,
            Partitioning parts,
            Map<String, ContextBinaryWriter> byProvider,
            EpContextOptions options,
            Map<String, String> compatibility) {
        if (byProvider.values().stream().allMatch(writer -> writer.partitions().isEmpty())) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "no provider compiled a part of model '" + model.stem() + "', so no EP context model is written");
            return null;
        }
        try {
            return Uninterrupted.get(() -> new ContextModelWriter(byProvider, options, ContextOutput.of(options, model))
                    .write(model, parts, compatibility));
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, "the context model cannot be written: " + e, e);
        }
    }

    private Path write(Model model, Partitioning parts, Map<String, String> compatibility) {
        byProvider.forEach((provider, writer) -> {
            kept.put(provider, writer.partitions());
            images.put(provider, writer.image(options.nodeNamePrefix()));
        });
        int opset = model.opsets().getOrDefault(OpId.MICROSOFT, 1);
        Graph graph = ContextGraphCopy.of(parts, this::attributes, opset);
        var opsets = new LinkedHashMap<>(model.opsets());
        opsets.put(OpId.MICROSOFT, opset);
        var copy = new Model(model.header(), opsets, metadata(model, compatibility), Map.of(), graph, model.source());
        try (var staging = new Staging(output.model())) {
            if (options.embedMode() == 0) {
                mains.forEach(provider -> image(provider).writeTo(staging.place(output.binaryName(provider))));
            }
            if (output.initializers() != null) {
                staging.place(output.initializers());
            }
            Models.write(copy, staging.place(output.modelName()), output.writeOptions());
            output.checkFree();
            staging.publish();
        }
        return output.model();
    }

    /** The attributes of a context node; the first of each binary says where the binary is. */
    private @Nullable Attributes attributes(Partitioning.Fused fused) {
        String provider = fused.provider().name();
        String partition = fused.partition().name();
        if (!kept.getOrDefault(provider, Set.of()).contains(partition)) {
            return null;
        }
        boolean main = mains.add(provider);
        var attributes = new LinkedHashMap<String, Attribute>();
        attributes.put(EpContext.MAIN_CONTEXT, Attribute.of(main ? 1 : 0));
        attributes.put(EpContext.EMBED_MODE, Attribute.of(options.embedMode()));
        if (main) {
            attributes.put(EpContext.CACHE_CONTEXT, content(provider));
            attributes.put(DIGEST, Attribute.of(image(provider).digest()));
        }
        attributes.put(EpContext.SOURCE, Attribute.of(provider));
        attributes.put(EpContext.PARTITION, Attribute.of(options.nodeNamePrefix() + partition));
        attributes.put(EpContext.SDK_VERSION, Attribute.of(SDK_VERSION));
        attributes.put(EpContext.HARDWARE, Attribute.of(System.getProperty("os.arch", "")));
        return Attributes.of(attributes);
    }

    private Attribute content(String provider) {
        if (options.embedMode() == 0) {
            return Attribute.of(output.binaryName(provider));
        }
        ContextImage image = image(provider);
        checkEmbeddable(provider, image);
        return new Attribute.Bytes(image.toBytes());
    }

    static void checkEmbeddable(String provider, ContextImage image) {
        if (image.byteSize() > Integer.MAX_VALUE - ROOM) {
            throw new EngineException(
                    Status.FAIL,
                    "Cannot serialize ONNX ModelProto larger than 2GB: the context binary of provider '" + provider
                            + "' has " + image.byteSize() + " bytes; write it beside the model with"
                            + " ep.context_embed_mode 0");
        }
    }

    private ContextImage image(String provider) {
        ContextImage image = images.get(provider);
        if (image == null) {
            throw new IllegalStateException("provider " + provider + " kept nothing");
        }
        return image;
    }

    private static Map<String, String> metadata(Model model, Map<String, String> compatibility) {
        var metadata = new LinkedHashMap<>(model.metadata());
        compatibility.forEach((provider, info) -> {
            if (!info.isEmpty()) {
                metadata.put(CompatibilityCheck.key(provider), info);
            }
        });
        Path source = model.source();
        if (source != null) {
            metadata.put(SOURCE_DIGEST, "sha256:" + digest(source));
        }
        return metadata;
    }

    private static String digest(Path file) {
        try (Arena arena = Arena.ofConfined()) {
            return HexFormat.of().formatHex(Chunks.sha256(FileMapping.of(file, arena)));
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, "source model " + file + " cannot be read again: " + e, e);
        }
    }
}
