import Basics
import CSQLite
@preconcurrency import Glibc

enum SQLValue {
  case integer(Int64)
  case text(String)
  case null

  init(_ text: String?) { self = text.map { .text($0) } ?? .null }
}

/// A row of a result, valid until the next one.
struct SQLRow {
  fileprivate let statement: OpaquePointer

  func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(statement, column) == SQLITE_NULL
  }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  func text(_ column: Int32) -> String {
    sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
  }
}

final class Database {
  /// In milliseconds: how long another program may hold it.
  private static let patience: Int32 = 1000

  let path: String
  private let handle: OpaquePointer

  /// Opens an existing database.
  init(path: String) throws(Fault) {
    self.path = path
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2(path, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      sqlite3_close_v2(opened)
      throw Self.fault(path, code, sqlite3_errstr(code))
    }
    handle = opened
    sqlite3_busy_timeout(handle, Self.patience)
  }

  deinit { sqlite3_close_v2(handle) }

  /// How many rows the last statement has changed.
  var changes: Int { Int(sqlite3_changes(handle)) }

  /// Executes statements without values and results.
  func execute(_ sql: String) throws(Fault) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw fault(code) }
  }

  func run(_ sql: String, _ values: SQLValue...) throws(Fault) {
    _ = try rows(sql, values) { _ in () }
  }

  /// - Parameter read: returns nil to leave a row out.
  func rows<Row>(
    _ sql: String, _ values: [SQLValue] = [], _ read: (SQLRow) -> Row?
  ) throws(Fault) -> [Row] {
    var made: OpaquePointer?
    let code = sqlite3_prepare_v2(handle, sql, -1, &made, nil)
    guard code == SQLITE_OK, let statement = made else { throw fault(code) }
    defer { sqlite3_finalize(statement) }
    for (index, value) in values.enumerated() { bind(value, Int32(index + 1), statement) }
    var rows: [Row] = []
    while true {
      let code = sqlite3_step(statement)
      switch code {
      case SQLITE_ROW: if let row = read(SQLRow(statement: statement)) { rows.append(row) }
      case SQLITE_DONE: return rows
      default: throw fault(code)
      }
    }
  }

  /// Does all of it or nothing.
  func transaction(_ body: () throws(Fault) -> Void) throws(Fault) {
    try run("BEGIN IMMEDIATE")
    do throws(Fault) {
      try body()
      try run("COMMIT")
    } catch {
      // Some errors have already ended the transaction.
      try? run("ROLLBACK")
      throw error
    }
  }

  private func bind(_ value: SQLValue, _ index: Int32, _ statement: OpaquePointer) {
    switch value {
    case .integer(let number): sqlite3_bind_int64(statement, index, number)
    // SQLITE_TRANSIENT, a macro that casts -1: SQLite copies the text.
    case .text(let text):
      sqlite3_bind_text(
        statement, index, text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    case .null: sqlite3_bind_null(statement, index)
    }
  }

  private func fault(_ code: Int32) -> Fault { Self.fault(path, code, sqlite3_errmsg(handle)) }

  private static func fault(
    _ path: String, _ code: Int32, _ words: UnsafePointer<CChar>
  ) -> Fault {
    Fault("the register \(path)", code: code & 0xFF, String(cString: words))
  }
}
