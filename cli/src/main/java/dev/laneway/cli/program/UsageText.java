package dev.laneway.cli.program;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** Says what is wrong with a command line: option, value, rule, remedy, in one sentence. */
final class UsageText {
    private UsageText() {}

    static String of(ParameterException wrong) {
        ArgSpec argument = wrong.getArgSpec();
        if (argument != null && wrong.getValue() != null) {
            String name = argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
            return name + " is " + wrong.getValue() + " but " + rule(argument, wrong.getCause());
        }
        return String.valueOf(wrong.getMessage());
    }

    private static String rule(ArgSpec option, @Nullable Throwable cause) {
        Class<?> type = option.typeInfo().isMap() ? option.type() : option.auxiliaryTypes()[0];
        if (cause instanceof TypeConversionException conversion && type == java.time.Duration.class) {
            return String.valueOf(conversion.getMessage());
        }
        if (type.isEnum()) {
            String names = Arrays.stream(type.getEnumConstants())
                    .map(name -> name.toString().toLowerCase(Locale.ROOT))
                    .collect(Collectors.joining(", "));
            return "must be one of " + names + ": take one of these";
        }
        if (Map.class.isAssignableFrom(type)) {
            String label = option.paramLabel();
            return "must be a name and a value: write it like "
                    + (label.equals("KEY=VALUE") ? "fetch.min.bytes=1" : label);
        }
        if (type == Path.class) {
            return "must be a path that this system can write: use other characters";
        }
        if (type == double.class || type == Double.class) {
            return "must be a number: write it like 0.5";
        }
        return "must be a whole number: write digits only";
    }
}
