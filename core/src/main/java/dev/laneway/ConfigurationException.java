package dev.laneway;

/**
 * An option has a value that cannot work. Thrown where it is set or at start, before anything is connected. Immutable.
 */
public final class ConfigurationException extends LanewayException {
    private static final long serialVersionUID = 1;

    private final String option;

    /** Names the option, its value, the rule that it breaks, and the remedy. */
    public ConfigurationException(String option, Object value, String rule, String remedy) {
        super(option + " is " + value + " but " + rule + ": " + remedy, null);
        this.option = option;
    }

    /** The option's name. */
    public String option() {
        return option;
    }
}
