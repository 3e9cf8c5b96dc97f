package dev.millrace.epcontext;

import dev.millrace.epcontext.binary.BinaryImage;
import dev.millrace.epcontext.binary.Chunks;
import dev.millrace.epcontext.binary.ContextTables;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.FileMapping;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.OpId;
import dev.millrace.providers.partition.Partitioning;
import dev.millrace.providers.spi.ContextFacts;
import dev.millrace.providers.spi.EpContext;
import dev.millrace.providers.spi.WeightlessMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Builds the context model, in which context nodes stand for compiled partitions. The source graph stays as it is. */
final class ContextModel {
    /** The metadata entry with the digest of the file that a context model was made from. */
    static final String SOURCE_DIGEST = "millrace.source_digest";

    private static final String SDK_VERSION = "millrace context " + ContextTables.VERSION;

    /** The bytes that a model may take besides an embedded binary, so that the whole stays below 2 GB. */
    private static final long ROOM = 1 << 20;

    private final CompiledModel compiled;
    private final Map<String, BinaryImage> images;
    private final ContextOutput output;
    private final Set<String> mains = new HashSet<>();

    private ContextModel(CompiledModel compiled, Map<String, BinaryImage> images, ContextOutput output) {
        this.compiled = compiled;
        this.images = images;
        this.output = output;
    }

    /**
     * Returns the context model of a compiled model.
     *
     * @param images the context binaries by provider; those of a group hold more than this model's graphs
     */
    static Model of(CompiledModel compiled, Map<String, BinaryImage> images, ContextOutput output) {
        return new ContextModel(compiled, images, output).make();
    }

    private Model make() {
        Model source = compiled.model();
        int opset = source.opsets().getOrDefault(OpId.MICROSOFT, 1);
        Graph graph = ContextGraphCopy.of(compiled.parts(), this::attributes, opset);
        var opsets = new LinkedHashMap<>(source.opsets());
        opsets.put(OpId.MICROSOFT, opset);
        return new Model(source.header(), opsets, metadata(), Map.of(), graph, source.source()).trainedLike(source);
    }

    /** Returns the attributes of a context node; the first one of each binary names or holds the binary. */
    private @Nullable Attributes attributes(Partitioning.Fused fused) {
        String provider = fused.provider().name();
        String partition = fused.partition().name();
        ContextBinaryWriter kept = compiled.byProvider().get(provider);
        if (kept == null || !kept.partitions().contains(partition)) {
            return null;
        }
        boolean main = mains.add(provider);
        var attributes = new LinkedHashMap<String, Attribute>();
        attributes.put(EpContext.MAIN_CONTEXT, Attribute.of(main ? 1 : 0));
        attributes.put(EpContext.EMBED_MODE, Attribute.of(output.embeds() ? 1 : 0));
        if (main) {
            attributes.put(EpContext.CACHE_CONTEXT, content(provider));
            attributes.put(
                    ContextModelWriter.DIGEST, Attribute.of(image(provider).digest()));
            nameSource(attributes);
        }
        attributes.put(EpContext.SOURCE, Attribute.of(provider));
        String prefix = kept.isOwnContainer() ? "" : output.prefix();
        attributes.put(EpContext.PARTITION, Attribute.of(prefix + partition));
        attributes.put(EpContext.SDK_VERSION, Attribute.of(SDK_VERSION));
        attributes.put(EpContext.HARDWARE, Attribute.of(System.getProperty("os.arch", "")));
        state(kept.facts(partition), attributes);
        return Attributes.of(attributes);
    }

    /** Adds what the provider states about a partition. */
    private static void state(ContextFacts facts, Map<String, Attribute> attributes) {
        state(EpContext.SDK_VERSION, facts.sdkVersion(), attributes);
        state(EpContext.HARDWARE, facts.hardware(), attributes);
        state(EpContext.NOTES, facts.notes(), attributes);
        state(EpContext.MODEL_FILE, facts.modelFile(), attributes);
        if (facts.maxSize() > 0) {
            attributes.put(EpContext.MAX_SIZE, Attribute.of(facts.maxSize()));
        }
    }

    private static void state(String name, String text, Map<String, Attribute> attributes) {
        if (!text.isEmpty()) {
            attributes.put(name, Attribute.of(text));
        }
    }

    /** Adds the name of the source model, in which weights that the binaries name are found. */
    private void nameSource(Map<String, Attribute> attributes) {
        Path file = compiled.model().source();
        if (compiled.source().mode() != WeightlessMode.NONE && file != null) {
            attributes.put(EpContext.MODEL_FILE, Attribute.of(String.valueOf(file.getFileName())));
        }
    }

    private Attribute content(String provider) {
        if (!output.embeds()) {
            return Attribute.of(output.reference(provider));
        }
        BinaryImage image = image(provider);
        checkEmbeddable(provider, image);
        return new Attribute.Bytes(image.toBytes());
    }

    static void checkEmbeddable(String provider, BinaryImage image) {
        if (image.byteSize() > Integer.MAX_VALUE - ROOM) {
            throw new EngineException(
                    Status.FAIL,
                    "Cannot serialize ONNX ModelProto larger than 2GB: the context binary of provider '" + provider
                            + "' has " + image.byteSize() + " bytes; write it beside the model with"
                            + " ep.context_embed_mode 0");
        }
    }

    private BinaryImage image(String provider) {
        BinaryImage image = images.get(provider);
        if (image == null) {
            throw new IllegalStateException("provider " + provider + " kept nothing");
        }
        return image;
    }

    private Map<String, String> metadata() {
        Model source = compiled.model();
        var metadata = new LinkedHashMap<>(source.metadata());
        compiled.compatibility().forEach((provider, info) -> {
            if (!info.isEmpty()) {
                metadata.put(CompatibilityCheck.key(provider), info);
            }
        });
        WeightlessMode mode = compiled.source().mode();
        if (mode != WeightlessMode.NONE) {
            metadata.put(Weightless.MODE, mode.code());
        }
        Path file = source.source();
        if (file != null) {
            metadata.put(SOURCE_DIGEST, sourceDigest(file));
        }
        return metadata;
    }

    /** Returns the digest by which a context model identifies its source file. */
    static String sourceDigest(Path file) {
        try {
            return "sha256:" + HexFormat.of().formatHex(FileMapping.use(file, Chunks::sha256));
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, "source model " + file + " cannot be read again: " + e, e);
        }
    }
}
