package dev.laneway.cli;

import dev.laneway.ops.check.CheckResult;
import dev.laneway.ops.check.Finding;
import dev.laneway.ops.check.FindingStatus;
import java.io.StringWriter;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** A verdict as JUnit XML, which build servers show: a failed test for each finding that fails. */
final class CheckJunit {
    private CheckJunit() {}

    static String of(CheckResult result, String name) {
        StringWriter text = new StringWriter();
        try {
            XMLStreamWriter xml = XMLOutputFactory.newInstance().createXMLStreamWriter(text);
            xml.writeStartDocument("UTF-8", "1.0");
            xml.writeStartElement("testsuite");
            xml.writeAttribute("name", "laneway check " + legal(name));
            xml.writeAttribute("tests", Integer.toString(result.findings().size()));
            xml.writeAttribute("failures", count(result, FindingStatus.FAIL));
            xml.writeAttribute("skipped", count(result, FindingStatus.UNKNOWN));
            for (Finding finding : result.findings()) {
                test(xml, finding);
            }
            xml.writeStartElement("system-out");
            xml.writeCharacters(legal(result.sentence() + " " + result.remedy()));
            xml.writeEndElement();
            xml.writeEndElement();
            xml.writeEndDocument();
        } catch (XMLStreamException failed) {
            throw new IllegalStateException("a string writer takes all", failed);
        }
        return text + System.lineSeparator();
    }

    private static void test(XMLStreamWriter xml, Finding finding) throws XMLStreamException {
        xml.writeStartElement("testcase");
        xml.writeAttribute("classname", finding.rule().name());
        xml.writeAttribute("name", finding.rule().title());
        switch (finding.status()) {
            case FAIL -> {
                xml.writeStartElement("failure");
                xml.writeAttribute("message", legal(finding.diagnosis()));
                xml.writeCharacters(legal(finding.recommendation()));
                xml.writeEndElement();
            }
            case UNKNOWN -> {
                xml.writeStartElement("skipped");
                xml.writeAttribute("message", legal(finding.diagnosis() + ": " + finding.recommendation()));
                xml.writeEndElement();
            }
            case WARN, OK -> {
                xml.writeStartElement("system-out");
                xml.writeCharacters(legal(finding.status() + ": " + finding.observed() + " " + finding.diagnosis()));
                xml.writeEndElement();
            }
        }
        xml.writeEndElement();
    }

    private static String count(CheckResult result, FindingStatus status) {
        return Long.toString(result.findings().stream()
                .filter(finding -> finding.status() == status)
                .count());
    }

    /** XML has no control characters, and a client's id may. */
    private static String legal(String text) {
        return text.replaceAll("[^\\x09\\x0A\\x0D\\x20-\\uD7FF\\uE000-\\uFFFD]", "?");
    }
}
