package dev.millrace.cli;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Flags of {@code serve} by environment variables: {@code MILLRACE_SERVE_HTTP_PORT} is {@code --http-port}. */
final class ServeEnvironment implements IDefaultValueProvider {
    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
        return argument instanceof OptionSpec option ? System.getenv(name(option.longestName())) : null;
    }

    static String name(String flag) {
        return "MILLRACE_SERVE_" + flag.substring(2).replace('-', '_').toUpperCase(Locale.ROOT);
    }
}
