package dev.millrace.epcontext;

import dev.millrace.epcontext.binary.BinaryImage;
import dev.millrace.epcontext.binary.Chunks;
import dev.millrace.epcontext.binary.ContextImage;
import dev.millrace.epcontext.binary.OwnImage;
import dev.millrace.epcontext.binary.SourcePlace;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.Uninterrupted;
import dev.millrace.providers.spi.ContextFacts;
import dev.millrace.providers.spi.ContextSink;
import dev.millrace.providers.spi.Partition;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Collects the compiled parts of one provider and writes them as a context binary. Segments of equal content are stored
 * once. A provider may add its partitions from several threads.
 */
public final class ContextBinaryWriter implements ContextSink {
    private final String provider;
    private final Map<String, ContextImage.GraphPart> graphs = new LinkedHashMap<>();
    private final List<ContextImage.SegmentPart> segments = new ArrayList<>();
    private final Map<Content, Integer> segmentByContent = new HashMap<>();
    private final Map<String, ContextFacts> facts = new HashMap<>();
    private final Set<String> contained = new LinkedHashSet<>();
    private final SourceInitializers source;
    /** The provider's own container, which holds all of its partitions. */
    private @Nullable MemorySegment container;

    /** The identity of a segment: its content, and its place in the source. */
    private record Content(String digest, @Nullable SourcePlace named) {}

    /** Creates a writer of a binary that holds all its segments. */
    public ContextBinaryWriter(String provider) {
        this(provider, SourceInitializers.none());
    }

    /** @param source the source's initializers, which the binary names rather than holds */
    public ContextBinaryWriter(String provider, SourceInitializers source) {
        this.provider = provider;
        this.source = source;
    }

    public String provider() {
        return provider;
    }

    @Override
    public int segment(MemorySegment data) {
        String digest = HexFormat.of().formatHex(Chunks.sha256(data));
        return add(new ContextImage.SegmentPart(data, digest, source.find(data)));
    }

    @Override
    public boolean names(MemorySegment data) {
        return source.find(data) != null;
    }

    private synchronized int add(ContextImage.SegmentPart segment) {
        Integer known = segmentByContent.putIfAbsent(new Content(segment.digest(), segment.named()), segments.size());
        if (known != null) {
            return known;
        }
        segments.add(segment);
        return segments.size() - 1;
    }

    /** Adds the parts that another writer has collected, with {@code prefix} before the names of its partitions. */
    synchronized void addAll(ContextBinaryWriter other, String prefix) {
        synchronized (other) {
            if (other.container != null) {
                throw EngineException.notImplemented("provider '" + provider
                        + "' keeps a container in a format of its own, which models of a group cannot share; let it"
                        + " keep segments, or compile each model by itself");
            }
            List<Integer> numbers = other.segments.stream().map(this::add).toList();
            for (ContextImage.GraphPart graph : other.graphs.values()) {
                String name = prefix + graph.partition();
                List<Integer> own = graph.segments().stream().map(numbers::get).toList();
                if (graphs.putIfAbsent(name, new ContextImage.GraphPart(name, graph.plan(), own)) != null) {
                    throw new IllegalStateException("two graphs are called " + name);
                }
            }
        }
    }

    @Override
    public synchronized void graph(Partition partition, byte[] plan, int[] segmentNumbers) {
        var numbers = new ArrayList<Integer>(segmentNumbers.length);
        for (int number : segmentNumbers) {
            if (number < 0 || number >= segments.size()) {
                throw misuse(partition, "with segment " + number + ", and it handed in " + segments.size());
            }
            numbers.add(number);
        }
        if (container != null) {
            throw misuse(partition, "twice");
        }
        var part =
                new ContextImage.GraphPart(partition.name(), MemorySegment.ofArray(plan.clone()), List.copyOf(numbers));
        if (graphs.putIfAbsent(partition.name(), part) != null) {
            throw misuse(partition, "twice");
        }
    }

    @Override
    public synchronized void container(Collection<Partition> partitions, MemorySegment content) {
        for (Partition partition : partitions) {
            if (container != null || !graphs.isEmpty() || !contained.add(partition.name())) {
                throw misuse(partition, "twice");
            }
        }
        container = content;
    }

    @Override
    public synchronized void describe(Partition partition, ContextFacts described) {
        facts.put(partition.name(), described);
    }

    /** The facts that the node of a partition states. */
    synchronized ContextFacts facts(String partition) {
        return facts.getOrDefault(partition, ContextFacts.NONE);
    }

    /** Whether the binary is a container in the provider's own format, whose graphs have the names that it gave them. */
    synchronized boolean isOwnContainer() {
        return container != null;
    }

    private EngineException misuse(Partition partition, String how) {
        return new EngineException(
                Status.EP_FAIL,
                "provider '" + provider + "' keeps partition '" + partition.name() + "' in a context binary " + how);
    }

    /** Returns the names of the partitions that were added. */
    public synchronized Set<String> partitions() {
        return Set.copyOf(container == null ? graphs.keySet() : contained);
    }

    /** Writes the binary atomically: an existing file is replaced in one step. */
    public void write(Path file) {
        try {
            Uninterrupted.get(() -> {
                try (var staging = new Staging(file)) {
                    image("").writeTo(staging.place(file, true));
                    staging.publish();
                }
                return file;
            });
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, "context binary " + file + " cannot be written: " + e, e);
        }
    }

    /** Returns the binary as one array, if it is smaller than 2 GB. */
    public byte[] toBytes() {
        return image("").toBytes();
    }

    /** Returns the layout of the binary with {@code prefix} before the names of all partitions. */
    synchronized BinaryImage image(String prefix) {
        if (container != null) {
            return new OwnImage(container);
        }
        List<ContextImage.GraphPart> named = graphs.values().stream()
                .map(graph -> new ContextImage.GraphPart(prefix + graph.partition(), graph.plan(), graph.segments()))
                .toList();
        return new ContextImage(provider, named, List.copyOf(segments));
    }
}
