package dev.laneway;

/** An option has a value that cannot work. Thrown at start, before anything is connected. Immutable. */
public final class ConfigurationException extends LanewayException {
    private static final long serialVersionUID = 1;

    private final String option;

    /** Says which option has which value, which rule that breaks, and what to do. */
    public ConfigurationException(String option, Object value, String rule, String remedy) {
        super(option + " is " + value + " but " + rule + ": " + remedy, null);
        this.option = option;
    }

    /** The option's name. */
    public String option() {
        return option;
    }
}
