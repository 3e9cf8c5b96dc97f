package dev.millrace.cli;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Flags of {@code serve} by environment variables: {@code MILLRACE_SERVE_HTTP_PORT} is {@code --http-port}. An empty one is none. */
final class ServeEnvironment implements IDefaultValueProvider {
    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
        String value = argument instanceof OptionSpec option ? System.getenv(name(option.longestName())) : null;
        return value == null || value.isEmpty() ? null : value;
    }

    static String name(String flag) {
        return "MILLRACE_SERVE_" + flag.substring(2).replace('-', '_').toUpperCase(Locale.ROOT);
    }
}
