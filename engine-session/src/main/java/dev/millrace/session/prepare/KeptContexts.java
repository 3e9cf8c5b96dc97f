package dev.millrace.session.prepare;

import dev.millrace.epcontext.ContextBinaryWriter;
import dev.millrace.epcontext.SourceInitializers;
import dev.millrace.graph.ir.Graph;
import dev.millrace.providers.partition.Partitioning;
import dev.millrace.providers.spi.ExecutionProvider;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The context binaries that a model's providers write while they compile, if a context model is wanted. */
public final class KeptContexts {
    private final boolean wanted;
    private final SourceInitializers source;
    private final Map<String, ContextBinaryWriter> byProvider = new LinkedHashMap<>();

    /** @param source the initializers of the source, which says which weights are left to it */
    KeptContexts(boolean wanted, SourceInitializers source) {
        this.wanted = wanted;
        this.source = source;
    }

    SourceInitializers source() {
        return source;
    }

    /**
     * Returns a new writer for the parts that a provider compiles, in place of its earlier one;
     * null if nothing is kept.
     */
    @Nullable
    ContextBinaryWriter anew(String provider) {
        if (!wanted) {
            return null;
        }
        var writer = new ContextBinaryWriter(provider, source);
        byProvider.put(provider, writer);
        return writer;
    }

    void forget(String provider) {
        byProvider.remove(provider);
    }

    public Map<String, ContextBinaryWriter> byProvider() {
        return Collections.unmodifiableMap(byProvider);
    }

    /**
     * Returns the providers' compatibility texts by provider name. A provider is asked about its
     * text when it finds its parts again.
     */
    static Map<String, String> compatibility(Partitioning parts, Graph graph, Notes notes) {
        var infos = new LinkedHashMap<String, String>();
        for (Partitioning.Fused each : parts.fused()) {
            infos.computeIfAbsent(each.provider().name(), _ -> compatibility(each.provider(), graph, notes));
        }
        infos.values().removeIf(String::isEmpty);
        return infos;
    }

    private static String compatibility(ExecutionProvider provider, Graph graph, Notes notes) {
        try {
            return provider.compatibilityInfo(graph);
        } catch (RuntimeException e) {
            notes.add("provider '" + provider.name() + "' cannot say what its context needs, so nobody will be asked: "
                    + e.getMessage());
            return "";
        }
    }
}
