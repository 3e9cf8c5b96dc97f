package dev.millrace.epcontext;

import dev.millrace.epcontext.binary.OwnImage;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.MappedFile;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.FileMapping;
import dev.millrace.graph.format.FileUse;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.OwnMemory;
import dev.millrace.providers.spi.CompiledGraph;
import dev.millrace.providers.spi.ContextBlob;
import dev.millrace.providers.spi.EpContext;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the compiled graphs for the context nodes of one session's model. Each context binary is opened once, and
 * shared with the other sessions of the engine until this is closed. Thread-safe.
 */
public final class ContextResolver implements AutoCloseable {
    /** The alignment of the memory that embedded binaries are copied to, as of a mapped file. */
    private static final long PAGE = 4096;

    private final Workspaces workspaces;
    private final @Nullable Path location;
    /** Another path in whose folder binaries are looked for that do not lie beside the model. */
    private final @Nullable Path elsewhere;

    private final Verification verification;
    private final SourceData source;
    private final FileUse use;
    /** The nodes that name or hold a context binary, by the provider that compiled it. */
    private final Map<String, List<Node>> mains = new HashMap<>();

    /** The open files, by provider and name. */
    private final Map<List<String>, Workspace.Handle> files = new HashMap<>();

    private final IdentityHashMap<byte[], ContextBinary> embedded = new IdentityHashMap<>();
    /** The providers' own containers that were asked for. */
    private final List<OwnContainer> containers = new ArrayList<>();

    private final @Nullable BroughtBinaries brought;
    private boolean closed;

    /**
     * @param dataFolder the folder of the external data of the source whose weights binaries
     *     name; null for the source's own
     * @param model the model before it is partitioned, while its context nodes are still in it
     */
    public ContextResolver(
            Workspaces workspaces, EpContextOptions options, @Nullable Path dataFolder, FileUse use, Model model) {
        this.use = use;
        this.workspaces = workspaces;
        this.location = model.source() == null ? options.filePath() : model.source();
        this.elsewhere = options.enable() ? null : options.filePath();
        this.verification = options.verification();
        this.source = new SourceData(options, location, dataFolder, use, workspaces.checkedWeights());
        this.brought = options.source() == null ? null : new BroughtBinaries(options.source());
        collect(model.graph());
    }

    private void collect(Graph graph) {
        for (Node node : graph.nodes()) {
            if (node.op().equals(EpContext.OP)) {
                collect(node);
            }
            node.attributes().graphs().forEach(this::collect);
        }
    }

    private void collect(Node node) {
        try {
            Attributes attributes = node.attributes();
            if (isSet(attributes, EpContext.MAIN_CONTEXT)) {
                mains.computeIfAbsent(attributes.text(EpContext.SOURCE, ""), source -> new ArrayList<>())
                        .add(node);
            }
        } catch (EngineException e) {
            throw e.at(node.describe());
        }
    }

    /** Returns the compiled graph of {@code node}, which is a context node of the model or a copy of one. */
    public synchronized CompiledGraph resolve(Node node) {
        if (closed) {
            throw EngineException.invalidArgument("the session of " + node.describe() + " is closed");
        }
        try {
            return find(node);
        } catch (EngineException e) {
            throw e.at(node.describe());
        }
    }

    private CompiledGraph find(Node node) {
        Attributes attributes = node.attributes();
        String provider = attributes.text(EpContext.SOURCE, "");
        String partition = attributes.text(EpContext.PARTITION, node.name());
        if (isSet(attributes, EpContext.MAIN_CONTEXT)) {
            ContextBinary binary = open(node, provider);
            int index = binary.graphCount() == 1 ? 0 : binary.indexOf(partition);
            if (index < 0) {
                throw missing(partition, List.of(binary));
            }
            return graph(binary, index, node);
        }
        var searched = new ArrayList<ContextBinary>();
        for (Node main : mains.getOrDefault(provider, List.of())) {
            ContextBinary binary = open(main, provider);
            int index = binary.indexOf(partition);
            if (index >= 0) {
                return graph(binary, index, main);
            }
            searched.add(binary);
        }
        throw missing(partition, searched);
    }

    /**
     * Returns the containers in a provider's own format that belong to {@code node}: the one that it holds or names, or those
     * of all main nodes of its source.
     */
    public synchronized List<ContextBlob> blobs(Node node) {
        if (closed) {
            throw EngineException.invalidArgument("the session of " + node.describe() + " is closed");
        }
        try {
            Attributes attributes = node.attributes();
            List<Node> holders = isSet(attributes, EpContext.MAIN_CONTEXT)
                    ? List.of(node)
                    : mains.getOrDefault(attributes.text(EpContext.SOURCE, ""), List.of());
            if (holders.isEmpty()) {
                throw missing(attributes.text(EpContext.PARTITION, node.name()), List.of());
            }
            var blobs = new ArrayList<ContextBlob>();
            holders.forEach(holder -> blobs.add(blob(holder)));
            return blobs;
        } catch (EngineException e) {
            throw e.at(node.describe());
        }
    }

    private OwnContainer blob(Node main) {
        Attribute.Bytes content = content(main);
        String digest = main.attributes().text(ContextModelWriter.DIGEST, "");
        if (isSet(main.attributes(), EpContext.EMBED_MODE)) {
            return container(new OwnContainer(
                    "", null, () -> checked(FileMapping.Content.of(copy(content.value())), digest, main.describe())));
        }
        String name = content.text();
        if (brought != null) {
            BroughtBinaries from = brought;
            return container(new OwnContainer(
                    name, null, () -> checked(FileMapping.Content.of(from.memory(name)), digest, "'" + name + "'")));
        }
        Path file = locate(name);
        return container(new OwnContainer(name, file, () -> {
            try {
                return checked(FileMapping.content(file, use), digest, file.toString());
            } catch (IOException e) {
                throw EngineException.wrap(Status.INVALID_GRAPH, "context binary " + file + " cannot be read", e);
            }
        }));
    }

    private OwnContainer container(OwnContainer made) {
        containers.add(made);
        return made;
    }

    /** Returns a container's content if it is what was written with the model, as far as the session wants that checked. */
    private FileMapping.Content checked(FileMapping.Content content, String digest, String place) {
        boolean isWanted = verification == Verification.AT_ONCE || verification == Verification.CHECKSUM;
        if (isWanted && !digest.isEmpty() && !digest.equals(OwnImage.digest(content.bytes()))) {
            throw EngineException.invalidGraph("context binary " + place
                    + " is not the one that was written with this model; compile the source model again");
        }
        return content;
    }

    private CompiledGraph graph(ContextBinary binary, int index, Node main) {
        String provider = main.attributes().text(EpContext.SOURCE, "");
        if (!provider.isEmpty() && !provider.equals(binary.source(index))) {
            throw EngineException.invalidGraph("context binary " + binary.place() + " was compiled by '"
                    + binary.source(index) + "', and the node's source is '" + provider + "'");
        }
        CompiledGraph graph = binary.graph(index, source, main.attributes().text(EpContext.MODEL_FILE, ""));
        return verification == Verification.WHEN_TOUCHED ? binary.verified(index, graph) : graph;
    }

    private static EngineException missing(String partition, List<ContextBinary> searched) {
        String where = searched.isEmpty()
                ? "the model has no node of its source with main_context 1"
                : "what there is, is "
                        + searched.stream().map(ContextBinary::toString).toList();
        return EngineException.invalidGraph("no compiled graph is named '" + partition + "': " + where);
    }

    private ContextBinary open(Node main, String provider) {
        Attribute.Bytes bytes = content(main);
        if (isSet(main.attributes(), EpContext.EMBED_MODE)) {
            ContextBinary binary = embedded.computeIfAbsent(
                    bytes.value(), payload -> ContextBinary.of(copy(payload), "in " + main.describe()));
            // whoever could change it could change its digest, too: both are in the model
            return check(main, binary, binary::check, binary::check);
        }
        if (brought != null) {
            ContextBinary binary = brought.open(bytes.text());
            return check(main, binary, binary::check, binary::prove);
        }
        Workspace.Handle file = files.computeIfAbsent(List.of(provider, bytes.text()), this::open);
        return check(main, file.binary(), file::check, file::prove);
    }

    /** Returns the attribute that holds or names a binary. */
    private static Attribute.Bytes content(Node main) {
        Attribute content = main.attributes().find(EpContext.CACHE_CONTEXT);
        if (content instanceof Attribute.Bytes bytes) {
            return bytes;
        }
        throw EngineException.invalidGraph("attribute '" + EpContext.CACHE_CONTEXT + "' of " + main.describe()
                + (content == null ? " is missing" : " is no string"));
    }

    /** Returns the binary if it belongs to {@code main} and is as it was written; throws otherwise. */
    private ContextBinary check(Node main, ContextBinary binary, Runnable checksum, Runnable digests) {
        String digest = main.attributes().text(ContextModelWriter.DIGEST, "");
        if (!digest.isEmpty() && !digest.equals(binary.digest())) {
            throw EngineException.invalidGraph("context binary " + binary.place()
                    + " is not the one that was written with this model; compile the source model again");
        }
        switch (verification) {
            case AT_ONCE -> digests.run();
            case CHECKSUM -> checksum.run();
            case WHEN_TOUCHED, NEVER -> {}
        }
        return binary;
    }

    private Workspace.Handle open(List<String> providerAndName) {
        Path file = locate(providerAndName.get(1));
        return workspaces.of(providerAndName.getFirst()).open(file, use);
    }

    private Path locate(String name) {
        try {
            return ContextPath.locate(ContextPath.BINARY, name, location);
        } catch (EngineException e) {
            if (elsewhere == null) {
                throw e;
            }
            return ContextPath.locate(ContextPath.BINARY, name, elsewhere);
        }
    }

    private static MemorySegment copy(byte[] payload) {
        MemorySegment memory =
                OwnMemory.allocate(Math.max(1, payload.length), PAGE).asSlice(0, payload.length);
        return memory.copyFrom(MemorySegment.ofArray(payload));
    }

    /** Returns the value of an attribute that is 0 or 1, and 1 by default. */
    private static boolean isSet(Attributes attributes, String name) {
        long value = attributes.integer(name, 1);
        if (value != 0 && value != 1) {
            throw EngineException.invalidGraph("attribute '" + name + "' is " + value + "; it is 0 or 1");
        }
        return value == 1;
    }

    /** Returns the mapped files of the open context binaries, to be checked for truncation. */
    public synchronized List<MappedFile> mapped() {
        return Stream.concat(
                        files.values().stream().flatMap(file -> file.binary().mapped().stream()),
                        containers.stream().flatMap(container -> container.watched().stream()))
                .toList();
    }

    /**
     * Drops the references to the model: nothing more can be resolved, while open binaries stay
     * shared until {@link #close}.
     */
    public synchronized void forgetModel() {
        mains.clear();
        embedded.clear();
        if (brought != null) {
            brought.clear();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        files.values().forEach(Workspace.Handle::close);
        files.clear();
        forgetModel();
    }
}
