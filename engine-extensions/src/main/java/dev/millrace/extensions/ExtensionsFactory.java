package dev.millrace.extensions;

import dev.millrace.graph.op.CustomOperator;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.HostFactory;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderOptions;
import java.util.List;
import java.util.Set;

/** The factory of providers that run operators of onnxruntime-extensions. An engine finds it on the class path. */
public final class ExtensionsFactory extends HostFactory {
    static final String NAME = "extensions";

    public ExtensionsFactory() {
        super(NAME, "Millrace", "1.0.0");
    }

    @Override
    public ExecutionProvider create(List<ProviderDevice> devices, ProviderOptions options) {
        options.allowOnly(NAME, Set.of());
        return new ExtensionsProvider();
    }

    @Override
    public List<CustomOperator> customOperators() {
        return ExtensionOperators.definitions();
    }
}
