package dev.millrace.session.build;

import dev.millrace.epcontext.ContextBinaryWriter;
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
    private final Map<String, ContextBinaryWriter> byProvider = new LinkedHashMap<>();

    KeptContexts(boolean wanted) {
        this.wanted = wanted;
    }

    /** Where a provider puts what it compiles now, in place of what it put elsewhere before; null to keep nothing. */
    @Nullable
    ContextBinaryWriter anew(String provider) {
        if (!wanted) {
            return null;
        }
        var writer = new ContextBinaryWriter(provider);
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
    public static Map<String, String> compatibility(Partitioning parts, Graph graph) {
        var infos = new LinkedHashMap<String, String>();
        for (Partitioning.Fused each : parts.fused()) {
            ExecutionProvider provider = each.provider();
            infos.computeIfAbsent(provider.name(), _ -> provider.compatibilityInfo(graph));
        }
        infos.values().removeIf(String::isEmpty);
        return infos;
    }
}
