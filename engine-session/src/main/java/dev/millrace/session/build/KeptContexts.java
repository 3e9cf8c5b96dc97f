package dev.millrace.session.build;

import dev.millrace.epcontext.ContextBinaryWriter;
import dev.millrace.epcontext.SourceInitializers;
import dev.millrace.graph.ir.Graph;
import dev.millrace.providers.partition.Partitioning;
import dev.millrace.providers.spi.ExecutionProvider;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the providers of a model keep of what they compile, where anything is to be kept. */
public final class KeptContexts {
    private final boolean wanted;
    private final SourceInitializers source;
    private final Map<String, ContextBinaryWriter> byProvider = new LinkedHashMap<>();

    /** @param source says which weights are left to the source */
    KeptContexts(boolean wanted, SourceInitializers source) {
        this.wanted = wanted;
        this.source = source;
    }

    SourceInitializers source() {
        return source;
    }

    /** Where a provider puts what it compiles now, in place of what it put elsewhere before; null to keep nothing. */
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

    /** What those who compiled parts want to be asked about when they find them again, by their names. */
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
